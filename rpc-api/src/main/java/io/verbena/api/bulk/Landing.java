package io.verbena.api.bulk;

import io.verbena.api.settings.Checks;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * The destination of an object's bytes: memory, a file or a consumer. As a parameter of a
 * contract's method it is the destination of the result. The other end learns only that there is a
 * landing, which is never serialized.
 */
public sealed interface Landing {
  /** Returns the length of the longest object that fits, in bytes. */
  long capacity();

  /**
   * Returns a landing in the caller's memory. On RDMA the other end writes directly into it. Do not
   * use or free the memory before the transfer is over. When the transfer has failed, nothing
   * writes there any more. A transfer into memory where another one is under way fails with {@code
   * INVALID_ARGUMENT}.
   *
   * <p>Since version 6.5 Linux lets no device write into the shared mapping of a file on most file
   * systems. A transfer that lands there over RDMA fails; use {@link #file} instead.
   *
   * @param memory outside the heap, writable
   * @throws IllegalArgumentException if the memory is on the heap, read-only, or confined to one
   *     thread
   */
  static Landing of(MemorySegment memory) {
    return of(memory, memory.scope());
  }

  /**
   * Returns a landing in memory that its owner frees in another way than by its arena, as for
   * {@link Source#of(MemorySegment, MemorySegment.Scope)}.
   *
   * @param freedWith an arena's scope, which the owner ends before freeing the memory
   */
  static Landing of(MemorySegment memory, MemorySegment.Scope freedWith) {
    if (!memory.isNative() || memory.isReadOnly()) {
      throw new IllegalArgumentException(
          "objects land in writable memory outside the heap: use Arena.ofShared().allocate(…) or"
              + " ByteBuffer.allocateDirect(…), or Landing.pooled(max)");
    }
    return new InMemory(Checks.shared(memory, freedWith), freedWith);
  }

  /**
   * Returns a landing in a direct buffer, from its position to its limit. The buffer's position and
   * limit do not change.
   */
  static Landing of(ByteBuffer buffer) {
    return of(MemorySegment.ofBuffer(buffer));
  }

  /**
   * Returns a landing in Verbena's own memory. The memory is reserved when the object's length is
   * known, and released by {@link Received#close}.
   *
   * @param max the length of the longest object to accept, in bytes
   */
  static Landing pooled(long max) {
    return new Pooled(max);
  }

  /**
   * Returns a landing in a file. The file appears, or is replaced, when the whole object has
   * arrived. Until then the bytes are in a second file beside it, whose name ends in {@code
   * .verbena.part}. The bytes are on the disk before the file appears. So after a crash of the
   * machine it is either the old file or the new one, and complete. {@link InFile#withoutSync}
   * saves that wait. If a file cannot be opened, written or renamed, the transfer fails with {@code
   * RESOURCE_EXHAUSTED}. If the path is a directory or a device, if its directory does not exist,
   * or if its name ends in {@code .verbena.part} or {@code .verbena.sums}, the transfer fails with
   * {@code INVALID_ARGUMENT}. So it does, before the first byte, if the file cannot be replaced,
   * because it is a mount point, or another user's in a sticky directory.
   *
   * <p>The file has the permissions, and if possible the owner and group, of the file that it
   * replaces, otherwise those of a new file. Until it is complete, only its owner may read it. A
   * symbolic link at the path is replaced, too. What it points to stays as it is.
   *
   * <p>The bytes that have arrived survive the peer, the session and this process. After {@code
   * UNAVAILABLE}, a deadline, or the end of a process the {@code .verbena.part} file stays, with a
   * checksum of each block of 1 MiB in {@code .verbena.sums}. The next transfer to the same path
   * continues after the last block that is intact, if the sender's object begins with the same
   * bytes and has the same length. Any other object starts from the beginning, and so do the bytes
   * of a {@linkplain Source#generator generator}. A transfer never resumes by itself: start it
   * again with the same source. Delete a {@code .verbena.part} file that is no longer needed. A
   * transfer that fails for another reason deletes both files. The whole object is compared by
   * checksum, too. None of this applies with {@link Checksum#NEVER}.
   */
  static InFile file(Path path) {
    return new InFile(path, true);
  }

  /**
   * Returns a landing that passes the object's bytes to a consumer, in order. A slow consumer slows
   * the sender down. A transfer that fails completes as soon as the present call of the consumer
   * has returned, and the consumer is not called again. So a call that never returns holds up even
   * a deadline.
   */
  static Landing chunks(ChunkConsumer consumer) {
    return new InChunks(consumer);
  }

  /**
   * Returns this landing with a watcher for its transfers, which can follow their progress and
   * cancel them. If the watcher cancels the transfer of a call, the call fails with {@code
   * CANCELLED}.
   *
   * @param watcher receives the transfer when it begins. If a call is repeated, it receives each
   *     transfer. It runs on the event loop or the caller's thread, and must not block. An
   *     exception that it throws fails the transfer
   */
  default Landing watched(Consumer<? super Transfer> watcher) {
    return new Watched(this, watcher);
  }

  /** Receives an object's bytes, chunk by chunk. */
  @FunctionalInterface
  interface ChunkConsumer {
    /**
     * Receives one chunk. It may block. One thread calls it at a time.
     *
     * @param chunk valid until this method returns
     * @param offset the chunk's position in the object, in bytes
     * @throws Exception fails the transfer, as its cause
     */
    void accept(MemorySegment chunk, long offset) throws Exception;
  }

  /**
   * A landing in the caller's memory.
   *
   * @param memory the destination
   * @param freedWith the scope that ends before the memory is freed
   */
  record InMemory(MemorySegment memory, MemorySegment.Scope freedWith) implements Landing {
    @Override
    public long capacity() {
      return memory.byteSize();
    }
  }

  /**
   * A landing in Verbena's own memory.
   *
   * @param capacity the length of the longest object, in bytes
   */
  record Pooled(long capacity) implements Landing {
    /** Checks the capacity. */
    public Pooled {
      Checks.between("capacity", capacity, 0, Long.MAX_VALUE);
    }
  }

  /**
   * A landing in a file.
   *
   * @param path the path at which the file appears
   * @param synced whether its bytes are on the disk before it appears
   */
  record InFile(Path path, boolean synced) implements Landing {
    /** Checks that there is a path. */
    public InFile {
      Checks.required("path", path);
    }

    /**
     * Returns the same landing, whose file appears as soon as the operating system has its bytes,
     * as with an ordinary copy. If the machine crashes soon afterwards, the file may be shorter
     * than the object, or contain other bytes. A crash of the process alone does no harm.
     */
    public InFile withoutSync() {
      return new InFile(path, false);
    }

    @Override
    public long capacity() {
      return Long.MAX_VALUE;
    }
  }

  /**
   * A landing that passes the bytes to a consumer.
   *
   * @param consumer receives the bytes
   */
  record InChunks(ChunkConsumer consumer) implements Landing {
    /** Checks that there is a consumer. */
    public InChunks {
      Checks.required("consumer", consumer);
    }

    @Override
    public long capacity() {
      return Long.MAX_VALUE;
    }
  }

  /**
   * A landing whose transfers are watched.
   *
   * @param landing the destination
   * @param watcher receives each transfer
   */
  record Watched(Landing landing, Consumer<? super Transfer> watcher) implements Landing {
    /** Checks that the landing is one of this end. */
    public Watched {
      Checks.required("landing", landing);
      Checks.required("watcher", watcher);
      Checks.that(!(landing instanceof AtCaller), "landing", "one of this end's", landing);
    }

    @Override
    public long capacity() {
      return landing.capacity();
    }
  }

  /** The caller's landing as a handler sees it. Answer with {@link Received#from}. */
  record AtCaller() implements Landing {
    @Override
    public long capacity() {
      return Long.MAX_VALUE;
    }
  }
}
