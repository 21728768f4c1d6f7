package io.verbena.core.bulk;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Source;
import io.verbena.link.MemoryLife;
import io.verbena.link.runtime.Thrown;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A source whose files are open. Slices share them, and each slice is closed once. Safe for use by
 * any thread.
 */
public sealed interface OpenSource {
  /**
   * Opens the files of a source; may block.
   *
   * @param life the lifetime of its memory
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

  /** Returns the threads that open the files of a source. */
  static RunOn openedBy(Source source) {
    return switch (source) {
      case Source.OfFile file -> RunOn.files(FilePlace.of(file.path()), file.path().toString());
      case Source.Gathered(List<Source> pieces) ->
          pieces.stream().map(OpenSource::openedBy).reduce(RunOn.MEMORY, RunOn::or);
      case Source.Counted counted -> openedBy(counted.source());
      case Source.OfMemory _, Source.OfChannel _, Source.Generated _ -> RunOn.MEMORY;
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

  /** Returns a range, which is closed separately. */
  OpenSource slice(long offset, long length);

  /**
   * Reads the whole segment; may block.
   *
   * @param at the offset in the source
   */
  void read(long at, MemorySegment into) throws Exception;

  RunOn readBy();

  void close();

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
      return file.by();
    }

    /** Fails if a byte does not exist, whatever the size of the file is; may block. */
    public void requireByte(long at) throws TransferProblem {
      if (file.read(ByteBuffer.allocate(1), offset + at) < 0) {
        throw file.endsBefore(offset + at);
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
      Thread.interrupted(); // this thread may read a file next, and would close it
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

    /** Returns the slowest reader of the pieces, which then reads memory pieces, too. */
    @Override
    public RunOn readBy() {
      return pieces.stream().map(OpenSource::readBy).reduce(RunOn.MEMORY, RunOn::or);
    }

    @Override
    public void close() {
      pieces.forEach(OpenSource::close);
    }
  }

  /** Fails if memory was freed too early. */
  static void requireAlive(MemorySegment memory) throws TransferProblem {
    if (!memory.scope().isAlive()) {
      throw new TransferProblem(
          RpcStatus.INVALID_ARGUMENT,
          "its memory was freed before the end of the transfer: close its arena later");
    }
  }

  /**
   * Fails if memory cannot be read, by reading all of it. A mapped file that has become shorter
   * lacks a part.
   *
   * @throws InternalError if a part is missing
   */
  static void requireReadable(MemorySegment memory) throws TransferProblem {
    requireAlive(memory);
    new Crc().update(memory);
  }

  /**
   * Fails if memory cannot be written, by writing back all of it. A mapped file lacks a part if it
   * has become shorter, or if its disk is full.
   *
   * @param memory nobody uses its bytes, nor writes others
   */
  static void requireWritable(MemorySegment memory) throws TransferProblem {
    requireAlive(memory);
    MemorySegment copy = MemorySegment.ofArray(new byte[64 << 10]);
    try {
      for (long at = 0; at < memory.byteSize(); at += copy.byteSize()) {
        long length = Math.min(copy.byteSize(), memory.byteSize() - at);
        MemorySegment.copy(memory, at, copy, 0, length);
        MemorySegment.copy(copy, 0, memory, at, length);
      }
    } catch (InternalError e) {
      throw new TransferProblem(
          RpcStatus.INTERNAL,
          "its mapped file was made shorter, or its disk is full: " + Thrown.reason(e),
          e);
    }
  }
}
