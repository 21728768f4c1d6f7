package io.verbena.link.memory;

import io.verbena.link.runtime.NanoClock;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * The slots that one session's callers may have: those of the pool while it has any, and then so
 * many of the session's own, on the heap, as it is guaranteed. A peer that acknowledges nothing can
 * empty the pool; the calls to all others go on. Safe for use by any thread.
 */
public final class SlotShare {
  private final SlotPool pool;
  private final Quota.Share share;
  private final Semaphore own = new Semaphore(0);
  private long granted;

  /**
   * A session's share.
   *
   * @param pool first come, first served
   * @param share says how many the session may have beyond the pool
   */
  public SlotShare(SlotPool pool, Quota.Share share) {
    this.pool = pool;
    this.share = share;
  }

  /**
   * Claims a slot.
   *
   * @param clock to wait on
   * @param waitNanos how long to wait until one of the session's own is free; 0: not at all
   * @return null if there is none
   */
  public @Nullable Slot claim(NanoClock clock, long waitNanos) throws InterruptedException {
    Slot slot = pool.claim();
    if (slot != null) {
      return slot;
    }
    fit();
    boolean free = own.tryAcquire() || (waitNanos > 0 && clock.acquire(own, waitNanos));
    return free ? Slot.onHeap(pool.slotBytes(), own) : null;
  }

  /** Makes its own as many as it is guaranteed while there are so many sessions. */
  private synchronized void fit() {
    long more = share.guaranteed() - granted;
    if (more > 0) {
      own.release((int) more);
      granted += more;
    } else {
      int fewer = (int) Math.min(-more, own.availablePermits());
      if (fewer > 0 && own.tryAcquire(fewer)) {
        granted -= fewer;
      }
    }
  }

  /** Says why there is none, and what helps. */
  public String exhausted() {
    return "all "
        + pool.maxSlots()
        + " message slots are in use, and the "
        + share.guaranteed()
        + " kept for this session too, whose peer has yet to acknowledge what they hold: wait for"
        + " that, or raise slotMemoryBytes";
  }

  /** The session is over. */
  public void close() {
    share.leave();
  }
}
