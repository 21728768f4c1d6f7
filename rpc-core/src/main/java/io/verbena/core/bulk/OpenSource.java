package io.verbena.core.bulk;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Source;
import io.verbena.link.MemoryLife;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** A source whose files are open. Slices share them; each is closed once. Safe for any thread. */
public sealed interface OpenSource {
  /** Opens a source's files; may block. */
  static OpenSource open(Source source) {
    return open(source, MemoryLife.LENT);
  }

  /**
   * Opens a source's files; may block.
   *
   * @param life of its memory
   */
  static OpenSource open(Source source, MemoryLife life) {
    return switch (source) {
      case Source.OfMemory(MemorySegment memory, MemorySegment.Scope freedWith) ->
          new InMemory(memory, life.of(memory, freedWith));
      case Source.OfFile file ->
          new InFile(OpenFile.open(file.path()), file.offset(), file.length());
      case Source.OfChannel file ->
          new InFile(OpenFile.lent(file.channel()), file.offset(), file.length());
      case Source.Generated(long length, Source.Filler filler) -> new Made(filler, 0, length);
      case Source.Gathered(List<Source> pieces) -> gathered(pieces, life);
      case Source.Counted counted -> open(counted.source(), life);
    };
  }

  private static OpenSource gathered(List<Source> pieces, MemoryLife life) {
    List<OpenSource> opened = new ArrayList<>();
    boolean all = false;
    try {
      pieces.forEach(piece -> opened.add(open(piece, life)));
      all = true;
      return new Joined(opened);
    } finally {
      if (!all) {
        opened.forEach(OpenSource::close);
      }
    }
  }

  long length();

  /** Returns a range, to be closed by itself. */
  OpenSource slice(long offset, long length);

  /**
   * Reads all of a piece; may block.
   *
   * @param at where in the source it begins
   */
  void read(long at, MemorySegment into) throws Exception;

  RunOn readBy();

  void close();

  /** Memory, and what is known of its life. */
  record InMemory(MemorySegment memory, MemoryLife life) implements OpenSource {
    @Override
    public long length() {
      return memory.byteSize();
    }

    @Override
    public OpenSource slice(long offset, long length) {
      return new InMemory(memory.asSlice(offset, length), life);
    }

    @Override
    public void read(long at, MemorySegment into) throws TransferProblem {
      requireAlive(memory);
      into.copyFrom(memory.asSlice(at, into.byteSize()));
    }

    @Override
    public RunOn readBy() {
      return RunOn.of(memory);
    }

    @Override
    public void close() {}
  }

  record InFile(OpenFile file, long offset, long length) implements OpenSource {
    @Override
    public OpenSource slice(long from, long sliceLength) {
      return new InFile(file.share(), offset + from, sliceLength);
    }

    @Override
    public void read(long at, MemorySegment into) throws TransferProblem {
      ByteBuffer buffer = into.asByteBuffer();
      long position = offset + at;
      while (buffer.hasRemaining()) {
        int read = file.read(buffer, position);
        if (read < 0) {
          throw file.endsBefore(position);
        }
        position += read;
      }
    }

    @Override
    public RunOn readBy() {
      return RunOn.FILES;
    }

    /** Fails where the end of the range is not there, whatever the file's size says. */
    public void requireEnd() throws TransferProblem {
      long last = offset + length - 1;
      if (file.read(ByteBuffer.allocate(1), last) < 0) {
        throw file.endsBefore(last);
      }
    }

    @Override
    public void close() {
      file.close();
    }
  }

  record Made(Source.Filler filler, long offset, long length) implements OpenSource {
    @Override
    public OpenSource slice(long from, long sliceLength) {
      return new Made(filler, offset + from, sliceLength);
    }

    @Override
    public void read(long at, MemorySegment into) throws Exception {
      filler.fill(into, offset + at);
    }

    @Override
    public RunOn readBy() {
      return RunOn.USER;
    }

    @Override
    public void close() {}
  }

  record Joined(List<OpenSource> pieces) implements OpenSource {
    @Override
    public long length() {
      return pieces.stream().mapToLong(OpenSource::length).sum();
    }

    @Override
    public OpenSource slice(long offset, long length) {
      List<OpenSource> within = new ArrayList<>();
      long begin = 0;
      for (OpenSource piece : pieces) {
        long from = Math.max(offset, begin);
        long to = Math.min(offset + length, begin + piece.length());
        if (from < to) {
          within.add(piece.slice(from - begin, to - from));
        }
        begin += piece.length();
      }
      return new Joined(within);
    }

    @Override
    public void read(long at, MemorySegment into) throws Exception {
      long begin = 0;
      for (OpenSource piece : pieces) {
        long from = Math.max(at, begin);
        long to = Math.min(at + into.byteSize(), begin + piece.length());
        if (from < to) {
          piece.read(from - begin, into.asSlice(from - at, to - from));
        }
        begin += piece.length();
      }
    }

    /** Users' code and files are read where they are; what is memory beside them, there too. */
    @Override
    public RunOn readBy() {
      return pieces.stream().map(OpenSource::readBy).max(RunOn::compareTo).orElse(RunOn.MEMORY);
    }

    @Override
    public void close() {
      pieces.forEach(OpenSource::close);
    }
  }

  /** Fails where memory has been freed too early. */
  static void requireAlive(MemorySegment memory) throws TransferProblem {
    if (!memory.scope().isAlive()) {
      throw new TransferProblem(
          RpcStatus.INVALID_ARGUMENT,
          "its memory was freed before the transfer was over: close its arena later");
    }
  }

  /**
   * Fails where memory cannot be read, by reading all of it: of a mapped file that has become
   * shorter a part is gone.
   *
   * @throws InternalError if it is
   */
  static void requireReadable(MemorySegment memory) throws TransferProblem {
    requireAlive(memory);
    new Crc().update(memory);
  }
}
