package io.verbena.api.bulk;

import io.verbena.api.settings.Checks;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * Where an object's bytes go. As a parameter of a contract's method it says where the result goes;
 * it is announced to the other end and never serialized.
 */
public sealed interface Landing {
  /** Returns the longest object that it takes. */
  long capacity();

  /**
   * Returns memory of the caller's. On RDMA the other end writes straight into it. It must not be
   * touched or freed before the transfer is over; when it fails, nobody writes there any more.
   *
   * @param memory outside the heap, writable
   * @throws IllegalArgumentException if it is on the heap, read-only, or one thread's alone
   */
  static Landing of(MemorySegment memory) {
    return of(memory, memory.scope());
  }

  /**
   * Returns memory that its owner frees in his own way, as {@link Source#of(MemorySegment,
   * MemorySegment.Scope)}.
   *
   * @param freedWith an arena's scope, which the owner ends before he frees the memory
   */
  static Landing of(MemorySegment memory, MemorySegment.Scope freedWith) {
    if (!memory.isNative() || memory.isReadOnly()) {
      throw new IllegalArgumentException(
          "objects land in writable memory outside the heap: use Arena.ofShared().allocate(…) or"
              + " ByteBuffer.allocateDirect(…), or Landing.pooled(max)");
    }
    return new InMemory(Checks.shared(memory, freedWith), freedWith);
  }

  /** Returns a direct buffer's memory from its position to its limit; the buffer stays as it is. */
  static Landing of(ByteBuffer buffer) {
    return of(MemorySegment.ofBuffer(buffer));
  }

  /**
   * Returns memory of Verbena's, taken when the object's length is known, and given back by {@link
   * Received#close}.
   *
   * @param max the longest object to take, in bytes
   */
  static Landing pooled(long max) {
    return new Pooled(max);
  }

  /**
   * Returns a file. It appears, or is replaced, when all of the object has arrived; until then its
   * bytes are in a file beside it, whose name ends in {@code .part}. They are on the disk before it
   * appears, so that after a crash of the machine it is the old one or the new one, whole; {@link
   * InFile#withoutSync} does without that wait. A file that cannot be opened, written or put in its
   * place fails the transfer with {@code RESOURCE_EXHAUSTED}; a path that is a directory, or in
   * none, with {@code INVALID_ARGUMENT}.
   *
   * <p>What has come outlives the peer, the session and this process: after {@code UNAVAILABLE}, a
   * deadline, or the end of a process the part stays, with a checksum of each block of 1 MiB in
   * {@code .part.sums}. The next transfer to the same path goes on behind the blocks that are as
   * they were stored, if the sender's object begins with the same bytes and has the same length;
   * any other begins anew, as does what a {@linkplain Source#generator generator} makes. Name the
   * source again; nothing goes on by itself, and a part that nobody wants is yours to delete. A
   * transfer that fails in any other way deletes both. So it is unless {@link Checksum#NEVER} is
   * asked for; the whole is compared by checksum, too.
   */
  static InFile file(Path path) {
    return new InFile(path, true);
  }

  /**
   * Returns a consumer of the object's bytes, in their order. A slow one slows the sender down. A
   * transfer that fails is told as soon as the call that is under way has returned, and no further
   * one is made: one that never returns holds up a deadline, too.
   */
  static Landing chunks(ChunkConsumer consumer) {
    return new InChunks(consumer);
  }

  /**
   * Returns this landing, which tells of the transfer that goes there: how far it is, and for the
   * one who wants to cancel it. A call that is cancelled so fails with {@code CANCELLED}.
   *
   * @param watcher hears of the transfer when it begins; of each, where a call is made again. Runs
   *     on the event loop or the caller's thread, and must not block; what it throws fails the
   *     transfer
   */
  default Landing watched(Consumer<? super Transfer> watcher) {
    return new Watched(this, watcher);
  }

  /** Takes an object's bytes, chunk by chunk. */
  @FunctionalInterface
  interface ChunkConsumer {
    /**
     * Takes one chunk; may block. Called by one thread at a time.
     *
     * @param chunk lent until this method returns
     * @param offset where in the object the chunk begins
     * @throws Exception fails the transfer, as its cause
     */
    void accept(MemorySegment chunk, long offset) throws Exception;
  }

  /**
   * Memory of the caller's.
   *
   * @param memory where the object goes
   * @param freedWith what ends before it is freed
   */
  record InMemory(MemorySegment memory, MemorySegment.Scope freedWith) implements Landing {
    @Override
    public long capacity() {
      return memory.byteSize();
    }
  }

  /**
   * Memory of Verbena's.
   *
   * @param capacity the longest object
   */
  record Pooled(long capacity) implements Landing {
    /** Checks the capacity. */
    public Pooled {
      Checks.between("capacity", capacity, 0, Long.MAX_VALUE);
    }
  }

  /**
   * A file.
   *
   * @param path where it appears
   * @param synced whether its bytes are on the disk before it appears
   */
  record InFile(Path path, boolean synced) implements Landing {
    /**
     * Returns the same file, which appears as soon as its bytes are the operating system's, as by
     * any other copy: a crash of the machine soon after may leave it with less than the object, or
     * other bytes. A crash of the process alone does not.
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
   * A consumer.
   *
   * @param consumer takes the bytes
   */
  record InChunks(ChunkConsumer consumer) implements Landing {
    @Override
    public long capacity() {
      return Long.MAX_VALUE;
    }
  }

  /**
   * A landing whose transfers are told of.
   *
   * @param landing where the object goes
   * @param watcher hears of each transfer
   */
  record Watched(Landing landing, Consumer<? super Transfer> watcher) implements Landing {
    /** Checks that it is a landing of this end's. */
    public Watched {
      Checks.required("watcher", watcher);
      Checks.that(!(landing instanceof AtCaller), "landing", "one of this end's", landing);
    }

    @Override
    public long capacity() {
      return landing.capacity();
    }
  }

  /** The caller's landing as a handler sees it: answer with {@link Received#from}. */
  record AtCaller() implements Landing {
    @Override
    public long capacity() {
      return Long.MAX_VALUE;
    }
  }
}
