package io.verbena.link.memory;

import io.verbena.link.runtime.NanoClock;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * The slots that callers of one session may claim. They come from the pool while it has any. After
 * that they are the session's own slots on the heap, up to its guaranteed number. A peer that
 * acknowledges nothing can empty the pool, but calls to other peers continue. Safe for use by any
 * thread.
 */
public final class SlotShare {
  private final SlotPool pool;
  private final Quota.Share share;
  private final Semaphore own = new Semaphore(0);
  private long granted;

  /**
   * Makes a session's share.
   *
   * @param pool for all sessions, first come, first served
   * @param share determines the number of slots beyond the pool
   */
  public SlotShare(SlotPool pool, Quota.Share share) {
    this.pool = pool;
    this.share = share;
  }

  /**
   * Claims a slot.
   *
   * @param clock measures the wait
   * @param waitNanos the longest wait for one of the session's own slots; 0 for no wait
   * @return the slot; null if none is free
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

  /**
   * Adjusts the number of own slots to the guaranteed number, which depends on the number of
   * sessions.
   */
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

  /** Returns a message with the reason why no slot is free, and the remedy. */
  public String exhausted() {
    return "all "
        + pool.maxSlots()
        + " message slots are in use, and so are the "
        + share.guaranteed()
        + " reserved for this session: wait until its peer has acknowledged some messages"
        + ", or raise slotMemoryBytes";
  }
}
