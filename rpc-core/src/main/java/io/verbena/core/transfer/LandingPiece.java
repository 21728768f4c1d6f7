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

/** Memory for a part of an arriving object. The peer may write into it while there is a target. */
final class LandingPiece {
  /** Its position in the object. */
  final long offset;

  private final MemoryLife life;
  private MemorySegment memory;
  private long arrived;

  /** Null while the sender may not write into it. */
  private @Nullable Opening opening;

  /** Whether it was closed and the sender is not fenced off yet. */
  private boolean fencing;

  private record Opening(BulkPath path, BulkRegion region, BulkTarget target) {}

  LandingPiece(long offset, MemorySegment memory, MemoryLife life) {
    this.offset = offset;
    this.memory = memory;
    this.life = life;
  }

  /** Leaves half of the missing bytes to other pieces. Returns false if the half is too short. */
  boolean halve() {
    long missing = memory.byteSize() - arrived;
    if (missing <= BulkPort.LEAST_PIECE_BYTES) {
      return false;
    }
    memory = memory.asSlice(0, arrived + Math.max(missing / 2, BulkPort.LEAST_PIECE_BYTES));
    return true;
  }

  /** Leaves the missing bytes to other pieces. */
  void endHere() {
    memory = memory.asSlice(0, arrived);
  }

  /**
   * Opens the part without bytes, unless it is open.
   *
   * @param whenMore runs when more bytes have arrived, until the piece is closed
   * @throws LinkException if there is no room for the piece
   */
  BulkTarget open(BulkPath by, EventLoop loop, Runnable whenMore) throws LinkException {
    BulkPort port = by.port;
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
                if (opening != null && opening.target == own[0]) { // later bytes do not count
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
    by.expect(memory.byteSize() - base, loop.now());
    return own[0];
  }

  /** Discards the arrived bytes, because earlier ones are missing. Not while it is open. */
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
   * Closes it if it is open.
   *
   * @param whenFenced runs once nothing writes into it any more, maybe at once
   * @param whenLost runs instead if the device may write into it for ever
   */
  void close(Runnable whenFenced, Runnable whenLost) {
    Opening closing = opening;
    if (closing == null) {
      return;
    }
    closing.path.expectNoMore(memory.byteSize() - arrived);
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

  /** Returns whether nothing writes into it: it was closed, or never opened. */
  boolean isFenced() {
    return opening == null && !fencing;
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
   * Divides memory into the pieces to open, because a path may have less room than an object needs.
   * If there was no room for a long piece, the next one has the least useful length, and each
   * further one has twice the length.
   */
  static final class Cutter {
    private long longest = BulkPath.PIECE_BYTES;

    /**
     * Returns a piece from the beginning of the remaining memory, which has at least 1 byte.
     *
     * @param most the length limit in bytes
     */
    LandingPiece cut(long offset, MemorySegment left, MemoryLife life, long most) {
      LandingPiece piece = new LandingPiece(offset, left.asSlice(0, next(left, most)), life);
      longest = Math.min(2 * longest, BulkPath.PIECE_BYTES);
      return piece;
    }

    long next(MemorySegment left, long most) {
      return Math.min(Math.min(longest, most), left.byteSize());
    }

    /** Halves a piece for which there was no room. Returns false if the half is too short. */
    boolean halve(LandingPiece last) {
      longest = BulkPort.LEAST_PIECE_BYTES;
      return last.halve();
    }
  }
}
