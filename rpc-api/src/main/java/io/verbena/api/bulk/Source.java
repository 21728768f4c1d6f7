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
 * Where an object's bytes come from. Nothing is read before a transfer begins, and what is read
 * must not change until it is over.
 *
 * <p>Memory outside the heap is sent from where it is; all else is read into pooled memory piece by
 * piece, or sent by the kernel where the link can do that.
 */
public sealed interface Source {
  /** Returns how many bytes there are. */
  long length();

  /**
   * Returns memory as a source, of any length. It stays the caller's, who frees it when the
   * transfer is over, or the object released: freed earlier, the transfer fails.
   *
   * <p>Over RDMA it is pinned, and stays so until its arena is closed. Memory of the global scope,
   * as another library's by its address, has no end that anybody is told of: it is pinned for each
   * transfer anew, unless {@link #of(MemorySegment, MemorySegment.Scope)} says when it is freed.
   *
   * @throws IllegalArgumentException if only the calling thread may read it
   */
  static Source of(MemorySegment memory) {
    return of(memory, memory.scope());
  }

  /**
   * Returns memory that its owner frees in his own way, as other libraries do, so that it may stay
   * pinned between transfers.
   *
   * @param freedWith an arena's scope, which the owner ends before he frees the memory
   * @throws IllegalArgumentException if only the calling thread may read it, or the scope has ended
   */
  static Source of(MemorySegment memory, MemorySegment.Scope freedWith) {
    return new OfMemory(Checks.shared(memory, freedWith), freedWith);
  }

  /** Returns a buffer's bytes from its position to its limit; the buffer is left as it is. */
  static Source of(ByteBuffer buffer) {
    return of(MemorySegment.ofBuffer(buffer));
  }

  /** Returns an array's bytes. */
  static Source of(byte[] bytes) {
    return of(MemorySegment.ofArray(bytes));
  }

  /**
   * Returns a file, as long as it is now.
   *
   * @throws IOException if it cannot be asked for its length
   */
  static Source file(Path path) throws IOException {
    return new OfFile(path, 0, Files.size(path));
  }

  /** Returns a range of a file. A file that turns out to be shorter fails the transfer. */
  static Source file(Path path, long offset, long length) {
    return new OfFile(path, offset, length);
  }

  /**
   * Returns a range of a file that the caller has open. The channel stays the caller's, with its
   * position as it is; closed before the transfer is over, or the object released, the transfer
   * fails. So it does when the file turns out to be shorter.
   *
   * @param channel open for reading
   */
  static Source file(FileChannel channel, long offset, long length) {
    return new OfChannel(channel, offset, length);
  }

  /**
   * Returns bytes that are made when they are needed.
   *
   * @param length how many there are
   * @param filler makes them, called in their order, by one thread at a time for each transfer
   */
  static Source generator(long length, Filler filler) {
    return new Generated(length, filler);
  }

  /**
   * Returns several pieces as one object.
   *
   * @throws IllegalArgumentException if the uses of a piece are {@linkplain #counted counted}:
   *     those of the whole may be
   */
  static Source gathered(Source... pieces) {
    return new Gathered(List.of(pieces));
  }

  /**
   * Returns this source, whose uses are counted, as other libraries do with their memory: {@code
   * Source.of(memory).counted(buffer::retain, buffer::release)}. A use is a push, a publication or
   * an answer. The caller may give up a reference of his own when {@code push}, {@code publish} or
   * {@code Received.from} has returned.
   *
   * @param retain runs when a use begins, on the thread that begins it; what it throws, as where
   *     the memory is free already, {@code push}, {@code publish} or {@code Received.from} throws
   * @param release runs once for each time that {@code retain} has returned, when that use reads
   *     nothing any more, however it ended: arrived, failed, cancelled, never sent, session lost,
   *     lease over. A published object is in use until nobody can fetch it, and its last fetch is
   *     over. It runs on an event loop or the thread that ends the use, and must not block; what it
   *     throws is logged
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
     * Fills all of a chunk; may block.
     *
     * @param chunk to be filled; lent until this method returns
     * @param offset where in the object the chunk begins
     * @throws Exception fails the transfer, as its cause
     */
    void fill(MemorySegment chunk, long offset) throws Exception;
  }

  /**
   * Memory.
   *
   * @param memory on or outside the heap
   * @param freedWith what ends before it is freed
   */
  record OfMemory(MemorySegment memory, MemorySegment.Scope freedWith) implements Source {
    @Override
    public long length() {
      return memory.byteSize();
    }
  }

  /**
   * A range of a file.
   *
   * @param path the file
   * @param offset where the range begins
   * @param length how long it is
   */
  record OfFile(Path path, long offset, long length) implements Source {
    /** Checks the range. */
    public OfFile {
      checkRange(offset, length);
    }
  }

  /**
   * A range of a file that is open.
   *
   * @param channel of the file
   * @param offset where the range begins
   * @param length how long it is
   */
  record OfChannel(FileChannel channel, long offset, long length) implements Source {
    /** Checks the range. */
    public OfChannel {
      checkRange(offset, length);
    }
  }

  /**
   * Bytes that are made when they are needed.
   *
   * @param length how many
   * @param filler makes them
   */
  record Generated(long length, Filler filler) implements Source {
    /** Checks the length. */
    public Generated {
      Checks.between("length", length, 0, Long.MAX_VALUE);
    }
  }

  /**
   * Several pieces as one.
   *
   * @param pieces in their order
   */
  record Gathered(List<Source> pieces) implements Source {
    /** Copies the list. */
    public Gathered {
      pieces = List.copyOf(pieces);
      for (Source piece : pieces) {
        Checks.that(
            !(piece instanceof Counted),
            "piece",
            "one that is not counted: let the uses of the gathered source be",
            piece);
      }
    }

    @Override
    public long length() {
      return pieces.stream().mapToLong(Source::length).reduce(0, Math::addExact);
    }
  }

  /**
   * A source whose uses are counted.
   *
   * @param source what is read
   * @param retain runs when a use begins
   * @param release runs when it is over
   */
  record Counted(Source source, Runnable retain, Runnable release) implements Source {
    /** Checks all of them. */
    public Counted {
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
