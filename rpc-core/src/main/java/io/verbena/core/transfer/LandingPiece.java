package io.verbena.core.transfer;

import io.verbena.core.bulk.BulkPath;
import io.verbena.core.loop.EventLoop;
import io.verbena.link.BulkPort;
import io.verbena.link.BulkRegion;
import io.verbena.link.BulkTarget;
import io.verbena.link.LinkException;
import io.verbena.link.MemoryLife;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Memory for a part of an object on its way in; open for the peer while there is a target. */
final class LandingPiece {
  private final long offset;
  private final MemoryLife life;
  private MemorySegment memory;
  private long arrived;

  /** Null while its sender may not write into it. */
  private @Nullable Opening opening;

  /** It was closed, and the sender is not fenced off it yet. */
  private boolean fencing;

  private record Opening(BulkPath path, BulkRegion region, BulkTarget target) {}

  /**
   * A piece.
   *
   * @param offset where in the object it begins
   */
  LandingPiece(long offset, MemorySegment memory, MemoryLife life) {
    this.offset = offset;
    this.memory = memory;
    this.life = life;
  }

  /** Leaves half of what is still to arrive to others; false if it is not worth halving. */
  boolean halve() {
    long missing = memory.byteSize() - arrived;
    if (missing <= BulkPort.LEAST_PIECE_BYTES) {
      return false;
    }
    memory = memory.asSlice(0, arrived + Math.max(missing / 2, BulkPort.LEAST_PIECE_BYTES));
    return true;
  }

  /** Leaves what is still to arrive to others. */
  void endHere() {
    memory = memory.asSlice(0, arrived);
  }

  /**
   * Opens what is still to arrive of it, where it is not open.
   *
   * @param whenMore runs when more has arrived, until it is closed
   * @throws LinkException if there is no room for it
   */
  BulkTarget open(BulkPath by, EventLoop loop, Runnable whenMore) throws LinkException {
    BulkPort port = by.port();
    long base = arrived;
    BulkRegion attached = port.attach(memory.asSlice(base), life);
    BulkTarget[] own = new BulkTarget[1];
    try {
      own[0] =
          port.open(
              attached,
              0,
              memory.byteSize() - base,
              at -> {
                if (opening != null
                    && opening.target == own[0]) { // what comes later does not count
                  by.brought(base + at - arrived, loop.now());
                  arrived = base + at;
                  whenMore.run();
                }
              });
    } catch (LinkException | RuntimeException e) {
      attached.release();
      throw e;
    }
    opening = new Opening(by, attached, own[0]);
    by.awaits(memory.byteSize() - base, loop.now());
    return own[0];
  }

  /** What has come of it counts for nothing, since something before it is missing. Not open. */
  void restart() {
    arrived = 0;
  }

  boolean isOpen() {
    return opening != null;
  }

  boolean isOn(BulkPath one) {
    return opening != null && opening.path == one;
  }

  /**
   * Closes it, where it is open.
   *
   * @param whenFenced runs once nothing writes into it any more, maybe at once
   * @param whenLost runs in its stead where the device may write into it for ever
   */
  void close(Runnable whenFenced, Runnable whenLost) {
    Opening closing = opening;
    if (closing == null) {
      return;
    }
    closing.path.awaitsNoMore(memory.byteSize() - arrived);
    opening = null;
    fencing = true;
    closing.target.close(
        () -> {
          fencing = false;
          closing.region.release();
          whenFenced.run();
        },
        whenLost);
  }

  /** Returns whether nothing writes into it: it was closed, if it was ever open. */
  boolean isFenced() {
    return opening == null && !fencing;
  }

  long offset() {
    return offset;
  }

  MemorySegment memory() {
    return memory;
  }

  long arrived() {
    return arrived;
  }

  boolean isFull() {
    return arrived == memory.byteSize();
  }

  long end() {
    return offset + memory.byteSize();
  }

  /**
   * Cuts memory into the pieces that it is opened in, since a path can hold open less than an
   * object has. Where there was no room for a long one the next is as short as is worth it, and
   * from then on each is twice as long.
   */
  static final class Cutter {
    private long longest = BulkPath.PIECE_BYTES;

    /**
     * Returns a piece from the beginning of what is left, which has at least 1 byte.
     *
     * @param most its bytes at most
     */
    LandingPiece cut(long offset, MemorySegment left, MemoryLife life, long most) {
      LandingPiece piece = new LandingPiece(offset, left.asSlice(0, next(left, most)), life);
      longest = Math.min(2 * longest, BulkPath.PIECE_BYTES);
      return piece;
    }

    /** Returns how long the next piece will be. */
    long next(MemorySegment left, long most) {
      return Math.min(Math.min(longest, most), left.byteSize());
    }

    /** Halves a piece that there was no room for; false if that is not worth it. */
    boolean halve(LandingPiece last) {
      longest = BulkPort.LEAST_PIECE_BYTES;
      return last.halve();
    }
  }
}
