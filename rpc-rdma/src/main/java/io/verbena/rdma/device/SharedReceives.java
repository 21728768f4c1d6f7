package io.verbena.rdma.device;

import io.verbena.rdma.wire.WorkId;
import io.verbena.verbs.ext.ReceiveBlock;
import io.verbena.verbs.ext.SharedReceiveQueue;
import java.io.IOException;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/**
 * Receives that all links of a domain share. Each link has a few guaranteed ones, for which it adds
 * slots, and leases more while it needs them.
 *
 * <pre>
 *   posted   receives in the queue
 *   granted  receives that links have promised to their peers, or may promise once they are
 *            posted: never more than are posted or wait to be
 *   spare    receives that are not granted: they can be leased, up to {@value #BURST} slots beyond
 *            guarantees
 * </pre>
 *
 * <p>A receive that completes reduces both the posted and its link's granted receives by one. When
 * its slot is posted again, it may be granted to the link again. Otherwise it is spare.
 */
final class SharedReceives {
  /** Slots for leases: 8 MiB of the default size, enough for 32 links at full speed. */
  static final int BURST = 1024;

  /** With fewer spare receives than this, leases end when they are used up. */
  private static final int SCARCE = BURST / 8;

  private static final int BATCH = 32;

  private final SharedReceiveQueue queue;
  private final RegisteredPool pool;
  private final int capacity;
  private final ReceiveBlock block;
  private int toPost;
  private int posted;
  private int granted;
  private int guaranteed;

  /** Slots that are posted, or used by links. */
  private int slots;

  SharedReceives(SharedReceiveQueue queue, RegisteredPool pool, int capacity, Arena arena) {
    this.queue = queue;
    this.pool = pool;
    this.capacity = capacity;
    this.block = new ReceiveBlock(arena, BATCH, 1);
  }

  long handle() {
    return queue.handle();
  }

  boolean isOver(@Nullable SharedReceiveQueue other) {
    return queue == other;
  }

  /** Returns the receives of one more link, which has none yet. */
  Receives part(int guaranteed) {
    return new Part(guaranteed);
  }

  /** Provides spare receives, with slots from the pool if necessary; false if that fails. */
  private boolean grow(int spare, int most) throws IOException {
    flush();
    while (posted + toPost - granted < spare) {
      int slot = slots < most ? pool.claim() : RegisteredPool.NONE;
      if (slot == RegisteredPool.NONE) {
        flush();
        return false;
      }
      slots++;
      post(slot);
    }
    flush();
    return true;
  }

  /** A receive has completed for a link that is gone; it is posted again, for others. */
  void orphaned(int slot) throws IOException {
    posted--;
    post(slot);
    flush();
  }

  /** Posts a slot, at the latest with the next {@link #flush}. */
  private void post(int slot) throws IOException {
    long name = WorkId.of(0, WorkId.SHARED_RECEIVE, slot);
    pool.receiveInto(slot, block, toPost, name);
    if (++toPost == BATCH) {
      flush();
    }
  }

  /** Posts the slots that wait. */
  private void flush() throws IOException {
    int count = toPost;
    toPost = 0;
    if (count > 0) {
      int taken = queue.postReceive(block, 0, count);
      posted += taken;
      if (taken < count) {
        throw new IOException(
            "the shared receive queue took " + taken + " of " + count + " receives");
      }
    }
  }

  void destroy() throws IOException {
    queue.destroy();
  }

  /** The receives of one link. */
  private final class Part extends Receives {
    private @Nullable QueuePair queuePair;
    private boolean lastReached;

    /** The receives that the link counts on and has not used yet. */
    private int own;

    Part(int guaranteed) {
      super(SharedReceives.this.pool, guaranteed);
    }

    @Override
    public void open(QueuePair to) throws IOException {
      if (!grow(all(), capacity)) {
        throw slots < capacity
            ? pool.shortage("for the receives of one more link")
            : new IOException(
                "links share "
                    + capacity
                    + " receives, and all are granted; guarantee fewer to each");
      }
      guaranteed += all();
      granted += all();
      own = all();
      queuePair = to;
    }

    @Override
    public void taken() {
      posted--;
      granted--;
      own--;
    }

    @Override
    public void post(int slot, boolean open, boolean counted) throws IOException {
      SharedReceives.this.post(slot); // other links need it, even if this one does not
      if (counted) {
        granted++;
        own++;
        if (granted > posted + toPost) {
          throw new IllegalStateException(
              granted + " receives are granted, and " + (posted + toPost) + " posted");
        }
      }
    }

    @Override
    public void flush(boolean open) throws IOException {
      SharedReceives.this.flush();
    }

    @Override
    public int lease(int most) throws IOException {
      boolean _ = grow(most, Math.min(capacity, guaranteed + BURST));
      int lent = Math.min(most, posted - granted);
      granted += lent;
      own += lent;
      return lent;
    }

    @Override
    public boolean isScarce() {
      return posted + toPost - granted < SCARCE && slots >= Math.min(capacity, guaranteed + BURST);
    }

    @Override
    public void giveUp(int receives) {
      granted -= receives;
      own -= receives;
    }

    /**
     * Receives in a shared queue are not flushed; the device reports when it takes no more. Those
     * that it has taken by then are in the completion queue, and would be lost with the queue pair.
     * So that queue is read to its end once more, as before each call (InfiniBand specification,
     * 10.3.1).
     */
    @Override
    public boolean isDrained() throws IOException {
      if (queuePair == null || lastReached) {
        return true;
      }
      lastReached = queuePair.isLastReceiveReached();
      return false;
    }

    /** Returns true, because rdma_rxe and other devices never report the last receive. */
    @Override
    public boolean drainsByTime() {
      return true;
    }

    @Override
    public void release() throws IOException {
      if (queuePair != null) {
        queuePair = null;
        guaranteed -= all();
        granted -= own;
        assert guaranteed > 0 || granted == 0
            : granted + " receives are granted, and no link stands";
        SharedReceives.this.flush();
      }
    }
  }
}
