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
public final class LandingPiece {
  private final long offset;
  private final MemorySegment memory;
  private final MemoryLife life;
  private long arrived;
  private @Nullable BulkPath path;
  private @Nullable BulkTarget target;
  private @Nullable BulkRegion region;

  /**
   * A piece.
   *
   * @param offset where in the object it begins
   */
  public LandingPiece(long offset, MemorySegment memory, MemoryLife life) {
    this.offset = offset;
    this.memory = memory;
    this.life = life;
  }

  /** Returns it with half of what is still to arrive; null if it is not worth halving. */
  public @Nullable LandingPiece halved() {
    long missing = memory.byteSize() - arrived;
    if (missing <= BulkPort.LEAST_PIECE_BYTES) {
      return null;
    }
    long half = Math.max(missing / 2, BulkPort.LEAST_PIECE_BYTES);
    LandingPiece first = new LandingPiece(offset, memory.asSlice(0, arrived + half), life);
    first.arrived = arrived;
    return first;
  }

  /** Returns what has arrived of it. */
  public LandingPiece arrivedPart() {
    LandingPiece part = new LandingPiece(offset, memory.asSlice(0, arrived), life);
    part.arrived = arrived;
    return part;
  }

  /**
   * Opens what is still to arrive of it, where it is not open.
   *
   * @param whenMore runs when more has arrived, until it is closed
   * @return what the sender needs to write there
   * @throws LinkException if there is no room for it
   */
  public byte[] open(BulkPath by, EventLoop loop, Runnable whenMore) throws LinkException {
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
                if (target != null && target == own[0]) { // what comes later does not count
                  by.brought(base + at - arrived, loop.now());
                  arrived = base + at;
                  whenMore.run();
                }
              });
    } catch (LinkException | RuntimeException e) {
      attached.release();
      throw e;
    }
    path = by;
    region = attached;
    target = own[0];
    by.awaits(memory.byteSize() - base, loop.now());
    return own[0].advertisement();
  }

  /** What has come of it counts for nothing, since something before it is missing. Not open. */
  public void restart() {
    arrived = 0;
  }

  /** Returns whether the sender may write into it. */
  public boolean isOpen() {
    return target != null;
  }

  /** Has something run when the sender may be told of it by any path; it is open at this end. */
  public void whenOpen(Runnable then) {
    if (target != null) {
      target.whenOpen(then);
    }
  }

  /** Returns whether the sender may write into it by this path. */
  public boolean isOn(BulkPath one) {
    return target != null && path == one;
  }

  /**
   * Closes it, where it is open.
   *
   * @param whenFenced runs once nothing writes into it any more, maybe at once
   * @param whenLost runs in its stead where the device may write into it for ever
   */
  public void close(Runnable whenFenced, Runnable whenLost) {
    BulkTarget closing = target;
    BulkRegion attached = region;
    BulkPath by = path;
    if (closing == null || attached == null || by == null) {
      return;
    }
    by.awaitsNoMore(memory.byteSize() - arrived);
    path = null;
    target = null;
    region = null;
    closing.close(
        () -> {
          attached.release();
          whenFenced.run();
        },
        whenLost);
  }

  /** Returns where in the object it begins. */
  public long offset() {
    return offset;
  }

  public MemorySegment memory() {
    return memory;
  }

  /** Returns how many of its bytes have arrived. */
  public long arrived() {
    return arrived;
  }

  /** Returns whether all of it has arrived. */
  public boolean isFull() {
    return arrived == memory.byteSize();
  }

  /** Returns where in the object it ends. */
  public long end() {
    return offset + memory.byteSize();
  }

  /**
   * Cuts memory into the pieces that it is opened in, since a path can hold open less than an
   * object has. Where there was no room for a long one the next is as short as is worth it, and
   * from then on each is twice as long.
   */
  public static final class Cutter {
    private long longest = BulkPath.PIECE_BYTES;

    /**
     * Returns a piece from the beginning of what is left, which has at least 1 byte.
     *
     * @param most its bytes at most
     */
    public LandingPiece cut(long offset, MemorySegment left, MemoryLife life, long most) {
      LandingPiece piece = new LandingPiece(offset, left.asSlice(0, next(left, most)), life);
      longest = Math.min(2 * longest, BulkPath.PIECE_BYTES);
      return piece;
    }

    /** Returns how long the next piece will be. */
    public long next(MemorySegment left, long most) {
      return Math.min(Math.min(longest, most), left.byteSize());
    }

    /** Returns what takes the place of a piece that there was no room for; null: nothing does. */
    public @Nullable LandingPiece shorter(LandingPiece last) {
      longest = BulkPort.LEAST_PIECE_BYTES;
      return last.halved();
    }
  }
}
