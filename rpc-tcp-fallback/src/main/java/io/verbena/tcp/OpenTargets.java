package io.verbena.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.verbena.link.BulkRegion;
import io.verbena.link.BulkTarget;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The memory that a link's peer may fill, and the chunk that is filling it: the receiving half of
 * the bulk port. While a chunk is coming in the socket is read straight into that memory. What
 * comes for a target that has been closed is read past; so a target is fenced when it is closed.
 */
final class OpenTargets {
  private static final long FIRST = 1;

  private final Map<Long, Target> open = new HashMap<>();
  private long next = FIRST;

  /** The chunk that is coming in; null between chunks. */
  private @Nullable Chunk chunk;

  /** Whose the chunk is; null if that has been closed. */
  private @Nullable Target target;

  /** Where the chunk goes, written up to where it has come; null if its target was closed. */
  private @Nullable ByteBuf room;

  /** How much of the chunk is still to come. */
  private int missing;

  private boolean headerIsNext;

  /** A target has become full, and nobody has asked since. */
  private boolean filled;

  /** Bytes that have come, and of these those of whole chunks, whatever became of them. */
  private long come;

  private long comeWhole;

  /** The peer wants a receipt. */
  private boolean asked;

  BulkTarget open(BulkRegion region, long offset, long length, BulkTarget.Listener listener) {
    MemorySegment range = region.memory().asSlice(offset, length);
    Target opened = new Target(next++, range, listener);
    open.put(opened.number, opened);
    headerIsNext = true;
    return opened;
  }

  /** Returns how many bulk bytes have come. */
  long come() {
    return come;
  }

  /** Returns how many bulk bytes have come in whole chunks. */
  long comeWhole() {
    return comeWhole;
  }

  /** Returns whether the peer has asked for a receipt since one was given. */
  boolean isReceiptDue() {
    return asked;
  }

  /** A receipt was given for all that has come in whole. */
  void receiptGiven() {
    asked = false;
  }

  boolean inChunk() {
    return chunk != null;
  }

  /** Returns whether the chunk has come in whole, and only {@link #endChunk} is due. */
  boolean isWhole() {
    return chunk != null && missing == 0;
  }

  /** Returns whether what comes next is likely a chunk's header; true once per target and chunk. */
  boolean headerIsNext() {
    boolean expected = headerIsNext;
    headerIsNext = false;
    return expected;
  }

  /** Returns whether a target has become full since this was asked. */
  boolean isAnyFilled() {
    boolean any = filled;
    filled = false;
    return any;
  }

  /**
   * Begins a chunk.
   *
   * @return what is wrong with it; null if nothing is
   */
  @Nullable String begin(Chunk header) {
    if (header.bytes() == 0) {
      return "the peer sent bulk bytes, but none of them";
    }
    if (header.target() < FIRST || header.target() >= next) {
      return "the peer sent bulk bytes for target "
          + header.target()
          + ", which this end never opened for it";
    }
    Target to = open.get(header.target());
    if (to != null) {
      if (header.at() != to.arrived) {
        return describe(header, to) + ", where " + to.arrived + " is next";
      }
      if (header.bytes() > to.memory.byteSize() - header.at()) {
        return describe(header, to) + ", which has " + to.memory.byteSize();
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

  private static String describe(Chunk header, Target to) {
    return "the peer sent "
        + header.bytes()
        + " bulk bytes for offset "
        + header.at()
        + " of target "
        + to.number;
  }

  private static String freed(Target target) {
    return "memory was freed while the peer's bulk bytes came in (offset "
        + target.arrived
        + " of target "
        + target.number
        + "): keep its arena open until the transfer has ended";
  }

  /**
   * Returns memory to read the chunk into, retained; null if it is to be read like frames, as what
   * goes to the heap is: no system call writes there.
   */
  @Nullable ByteBuf buffer() {
    if (room == null || !room.isDirect() || missing == 0 || target == null || !target.isAlive()) {
      return null;
    }
    return room.retain();
  }

  /** Returns whether a buffer is the one that {@link #buffer} gave. */
  @SuppressWarnings("ReferenceEquality") // the very buffer, not one with equal bytes
  boolean isBuffer(ByteBuf read) {
    return read == room;
  }

  /** The buffer has been read into. */
  void landed() {
    if (room != null) {
      come += missing - room.writableBytes();
      missing = room.writableBytes();
    }
  }

  /**
   * Takes the chunk's bytes out of what was read like frames.
   *
   * @return what is wrong; null if nothing is
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

  /** Ends a chunk that is whole, and tells of it if the peer wished so. */
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
      to.arrived += ended.bytes();
      filled |= to.arrived == to.memory.byteSize();
      if (ended.checkpoint()) {
        to.listener.onArrived(to.arrived);
      }
    }
  }

  /** Lets go of the target of the chunk under way. */
  private void drop() {
    target = null;
    if (room != null) {
      room.release();
      room = null;
    }
  }

  /** Nothing lands any more. */
  void close() {
    open.clear();
    drop();
  }

  private final class Target implements BulkTarget {
    private final long number;
    private final MemorySegment memory;
    private final Listener listener;
    private long arrived;

    Target(long number, MemorySegment memory, Listener listener) {
      this.number = number;
      this.memory = memory;
      this.listener = listener;
    }

    boolean isAlive() {
      return memory.scope().isAlive();
    }

    @Override
    public byte[] advertisement() {
      return Chunk.advertisement(number, memory.byteSize());
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
