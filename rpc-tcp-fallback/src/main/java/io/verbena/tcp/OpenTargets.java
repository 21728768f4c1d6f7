package io.verbena.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.verbena.link.BulkRegion;
import io.verbena.link.BulkTarget;
import io.verbena.link.NumberedMemory;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The memory that the peer of a link may write to, and the chunk that is being read: the receiving
 * half of the bulk port. While a chunk arrives, the socket is read directly into that memory. Bytes
 * for a closed target are skipped, so a target is fenced when it is closed.
 */
final class OpenTargets {
  private static final long FIRST = 1;

  private final Map<Long, Target> open = new HashMap<>();
  private long next = FIRST;

  /** The chunk that is arriving; null between chunks. */
  private @Nullable Chunk chunk;

  /** The target of the chunk; null if it was closed. */
  private @Nullable Target target;

  /** The memory of the chunk, with the position of the next byte; null if its target was closed. */
  private @Nullable ByteBuf room;

  /** The number of bytes of the chunk that are still to come. */
  private int missing;

  private boolean headerIsNext;

  /** A target has become full since the last call of {@link #isAnyFilled}. */
  private boolean filled;

  /** All bulk bytes that have arrived, and those of whole chunks, for open and closed targets. */
  private long come;

  private long comeWhole;

  /** The peer has asked for a receipt. */
  private boolean asked;

  BulkTarget open(BulkRegion region, long offset, long length, BulkTarget.Listener listener) {
    MemorySegment range = region.memory().asSlice(offset, length);
    Target opened = new Target(next++, range, listener);
    open.put(opened.number, opened);
    headerIsNext = true;
    return opened;
  }

  /** Returns the number of bulk bytes that have arrived. */
  long come() {
    return come;
  }

  /** Returns the number of bulk bytes that have arrived in whole chunks. */
  long comeWhole() {
    return comeWhole;
  }

  /** Returns whether the peer has asked for a receipt since the last one. */
  boolean isReceiptDue() {
    return asked;
  }

  /** Notes that a receipt was sent for all whole chunks. */
  void receiptGiven() {
    asked = false;
  }

  boolean inChunk() {
    return chunk != null;
  }

  /** Returns whether the chunk is complete, so that only {@link #endChunk} is due. */
  boolean isWhole() {
    return chunk != null && missing == 0;
  }

  /** Returns whether a chunk's header is likely next; true once for each target and chunk. */
  boolean headerIsNext() {
    boolean expected = headerIsNext;
    headerIsNext = false;
    return expected;
  }

  /** Returns whether a target has become full since the last call. */
  boolean isAnyFilled() {
    boolean any = filled;
    filled = false;
    return any;
  }

  /**
   * Begins a chunk.
   *
   * @return the fault of the chunk; null if it is sound
   */
  @Nullable String begin(Chunk header) {
    if (header.bytes() == 0) {
      return "the peer sent a chunk of 0 bulk bytes";
    }
    if (header.target() < FIRST || header.target() >= next) {
      return "the peer sent bulk bytes for target "
          + header.target()
          + ", which this end never opened";
    }
    Target to = open.get(header.target());
    if (to != null) {
      if (!to.takesNext(header.at(), header.bytes())) {
        return to.misfit(header.at(), header.bytes());
      }
      if (!to.memory.scope().isAlive()) {
        return freed(to);
      }
      MemorySegment piece = to.memory.asSlice(header.at(), header.bytes());
      room = Unpooled.wrappedBuffer(piece.asByteBuffer()).clear();
    }
    chunk = header;
    target = to;
    missing = header.bytes();
    return null;
  }

  private static String freed(Target target) {
    return "memory was freed while the peer's bulk bytes came in (offset "
        + target.arrived()
        + " of target "
        + target.number
        + "): keep its arena open until the transfer has ended";
  }

  /**
   * Returns the memory of the chunk, retained, for a read from the socket. Null if its bytes must
   * be read like frames, as for the heap, into which no system call can write.
   */
  @Nullable ByteBuf buffer() {
    if (room == null || !room.isDirect() || missing == 0 || target == null || !target.isAlive()) {
      return null;
    }
    return room.retain();
  }

  /** Returns whether this is the buffer that {@link #buffer} returned. */
  @SuppressWarnings("ReferenceEquality") // the same buffer, not one with equal bytes
  boolean isBuffer(ByteBuf read) {
    return read == room;
  }

  /** Notes that the socket was read into the buffer. */
  void landed() {
    if (room != null) {
      come += missing - room.writableBytes();
      missing = room.writableBytes();
    }
  }

  /**
   * Takes the chunk's bytes from a buffer that was read like frames.
   *
   * @return the failure; null if there is none
   */
  @Nullable String take(ByteBuf in) {
    int bytes = Math.min(missing, in.readableBytes());
    if (room == null || target == null) {
      in.skipBytes(bytes);
    } else if (target.isAlive()) {
      room.writeBytes(in, bytes);
    } else {
      return freed(target);
    }
    missing -= bytes;
    come += bytes;
    return null;
  }

  /** Ends a complete chunk, and reports it to the target's listener if it is a checkpoint. */
  void endChunk() {
    Chunk ended = chunk;
    Target to = target;
    drop();
    chunk = null;
    headerIsNext = true;
    if (ended != null) {
      comeWhole += ended.bytes();
      asked |= ended.asks();
    }
    if (ended != null && to != null) {
      filled |= to.arrived() + ended.bytes() == to.memory.byteSize();
      to.arrived(ended.bytes(), ended.checkpoint());
    }
  }

  /** Releases the memory of the present chunk. */
  private void drop() {
    target = null;
    if (room != null) {
      room.release();
      room = null;
    }
  }

  void close() {
    open.clear();
    drop();
  }

  private final class Target extends NumberedMemory {
    Target(long number, MemorySegment memory, Listener listener) {
      super(number, memory, listener);
    }

    boolean isAlive() {
      return memory.scope().isAlive();
    }

    @Override
    public void close(Runnable whenFenced) {
      open.remove(number);
      if (target == this) {
        drop();
      }
      whenFenced.run();
    }
  }
}
