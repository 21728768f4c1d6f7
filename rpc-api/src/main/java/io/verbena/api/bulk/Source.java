package io.verbena.api.bulk;

import io.verbena.api.settings.Checks;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The origin of an object's bytes. Nothing is read before a transfer begins. The bytes must not
 * change until the transfer is over.
 *
 * <p>Memory outside the heap is sent without a copy. Bytes of other sources are read into pooled
 * memory piece by piece, or sent by the kernel if the link supports that.
 */
public sealed interface Source {
  /** Returns the length in bytes. */
  long length();

  /**
   * Returns a source that reads memory of any length. The memory stays the caller's. Free it when
   * the transfer is over, or when the published object is released. If it is freed earlier, the
   * transfer fails.
   *
   * <p>Over RDMA the memory is pinned, and stays pinned until its arena is closed. Memory of the
   * global scope, such as memory of another library, is pinned for each transfer anew, because
   * nothing announces when it is freed. {@link #of(MemorySegment, MemorySegment.Scope)} avoids
   * that.
   *
   * @throws IllegalArgumentException if only the calling thread may read it
   */
  static Source of(MemorySegment memory) {
    return of(memory, memory.scope());
  }

  /**
   * Returns a source that reads memory which its owner frees in another way than by its arena, as
   * other libraries do. The memory may then stay pinned between transfers.
   *
   * @param freedWith an arena's scope, which the owner ends before freeing the memory
   * @throws IllegalArgumentException if only the calling thread may read it, or the scope has ended
   */
  static Source of(MemorySegment memory, MemorySegment.Scope freedWith) {
    return new OfMemory(Checks.shared(memory, freedWith), freedWith);
  }

  /**
   * Returns a source that reads a buffer from its position to its limit. The buffer's position and
   * limit do not change.
   */
  static Source of(ByteBuffer buffer) {
    return of(MemorySegment.ofBuffer(buffer));
  }

  /** Returns a source that reads an array. */
  static Source of(byte[] bytes) {
    return of(MemorySegment.ofArray(bytes));
  }

  /**
   * Returns a source that reads a regular file, to its present length.
   *
   * @throws IOException if the length cannot be read
   */
  static Source file(Path path) throws IOException {
    return new OfFile(path, 0, Files.size(path));
  }

  /**
   * Returns a source that reads a range of a regular file, in bytes. If the file turns out to be
   * shorter, the transfer fails.
   */
  static Source file(Path path, long offset, long length) {
    return new OfFile(path, offset, length);
  }

  /**
   * Returns a source that reads a range of an open file, in bytes. The channel stays the caller's,
   * and its position does not change. Close it when the transfer is over, or when the published
   * object is released. If it is closed earlier, or if the file turns out to be shorter, the
   * transfer fails.
   *
   * @param channel open for reading, without direct I/O
   */
  static Source file(FileChannel channel, long offset, long length) {
    return new OfChannel(channel, offset, length);
  }

  /**
   * Returns a source whose bytes are made when they are needed.
   *
   * @param length the number of bytes
   * @param filler makes the bytes. For each transfer it is called in their order, by one thread at
   *     a time
   */
  static Source generator(long length, Filler filler) {
    return new Generated(length, filler);
  }

  /**
   * Returns a source that joins several pieces into one object.
   *
   * @throws IllegalArgumentException if the pieces are longer than 2^63 - 1 bytes together, or if
   *     the uses of a piece are {@linkplain #counted counted}; count those of the whole source
   *     instead
   */
  static Source gathered(Source... pieces) {
    return new Gathered(List.of(pieces));
  }

  /**
   * Returns this source with counted uses, for libraries that count references to their memory:
   * {@code Source.of(memory).counted(buffer::retain, buffer::release)}. Each push, publication and
   * answer is one use. The caller may release its own reference when {@code push}, {@code publish}
   * or {@code Received.from} has returned.
   *
   * @param retain runs when a use begins, on the thread that begins it. If it throws, for instance
   *     because the memory is free already, {@code push}, {@code publish} or {@code Received.from}
   *     throws the same exception
   * @param release runs once for each {@code retain} that has returned, when that use no longer
   *     reads the source, whether the object arrived, failed, was cancelled, was never sent, lost
   *     its session, or reached the end of its lease. A published object is in use until no peer
   *     can fetch it and its last fetch is over. It runs on an event loop or the thread that ends
   *     the use, and must not block. An exception that it throws is logged
   */
  default Source counted(Runnable retain, Runnable release) {
    return new Counted(this, retain, release);
  }

  private static void checkRange(long offset, long length) {
    Checks.between("offset", offset, 0, Long.MAX_VALUE);
    Checks.between("length", length, 0, Long.MAX_VALUE);
    Checks.that(
        length <= Long.MAX_VALUE - offset,
        "length",
        "at most " + (Long.MAX_VALUE - offset) + " from " + offset,
        length);
  }

  /** Makes an object's bytes. */
  @FunctionalInterface
  interface Filler {
    /**
     * Fills a whole chunk. It may block.
     *
     * @param chunk to be filled; valid until this method returns
     * @param offset the chunk's position in the object, in bytes
     * @throws Exception fails the transfer, as its cause
     */
    void fill(MemorySegment chunk, long offset) throws Exception;
  }

  /**
   * A source that reads memory.
   *
   * @param memory on or outside the heap
   * @param freedWith the scope that ends before the memory is freed
   */
  record OfMemory(MemorySegment memory, MemorySegment.Scope freedWith) implements Source {
    @Override
    public long length() {
      return memory.byteSize();
    }
  }

  /**
   * A source that reads a range of a file.
   *
   * @param path of the file
   * @param offset the first byte of the range
   * @param length of the range, in bytes
   */
  record OfFile(Path path, long offset, long length) implements Source {
    /** Checks the values. */
    public OfFile {
      Checks.required("path", path);
      checkRange(offset, length);
    }
  }

  /**
   * A source that reads a range of an open file.
   *
   * @param channel of the file
   * @param offset the first byte of the range
   * @param length of the range, in bytes
   */
  record OfChannel(FileChannel channel, long offset, long length) implements Source {
    /** Checks the values. */
    public OfChannel {
      Checks.required("channel", channel);
      checkRange(offset, length);
    }
  }

  /**
   * A source whose bytes are made when they are needed.
   *
   * @param length the number of bytes
   * @param filler makes the bytes
   */
  record Generated(long length, Filler filler) implements Source {
    /** Checks the values. */
    public Generated {
      Checks.required("filler", filler);
      Checks.between("length", length, 0, Long.MAX_VALUE);
    }
  }

  /**
   * A source that joins several pieces.
   *
   * @param pieces in their order
   */
  record Gathered(List<Source> pieces) implements Source {
    /** Copies the list, and checks the length. */
    public Gathered {
      pieces = List.copyOf(pieces);
      long length = 0;
      for (Source piece : pieces) {
        Checks.that(
            !(piece instanceof Counted),
            "piece",
            "one that is not counted: let the uses of the gathered source be",
            piece);
        long room = Long.MAX_VALUE - length;
        Checks.that(
            piece.length() <= room,
            "length",
            "at most " + room + " after the pieces before it",
            piece.length());
        length += piece.length();
      }
    }

    @Override
    public long length() {
      return pieces.stream().mapToLong(Source::length).sum();
    }
  }

  /**
   * A source whose uses are counted.
   *
   * @param source the source that is read
   * @param retain runs when a use begins
   * @param release runs when a use is over
   */
  record Counted(Source source, Runnable retain, Runnable release) implements Source {
    /** Checks the values. */
    public Counted {
      Checks.required("source", source);
      Checks.required("retain", retain);
      Checks.required("release", release);
      Checks.that(!(source instanceof Counted), "source", "counted once", source);
    }

    @Override
    public long length() {
      return source.length();
    }
  }
}
