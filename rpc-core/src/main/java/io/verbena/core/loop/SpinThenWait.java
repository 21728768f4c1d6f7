package io.verbena.core.loop;

import org.agrona.concurrent.IdleStrategy;

/**
 * Spins for a while after the last work, then waits: a reply that comes within a round trip is met
 * without a wake-up, and an idle loop costs nothing. Time is told by duty cycles, which read the
 * clock.
 *
 * <p>The while is fixed, or measured: twice as long as work has lately been away for, where that is
 * short, which is about a round trip while calls are made one after the other. A measured one is
 * spent only where sessions have upgraded, whose links are polled without a system call.
 */
final class SpinThenWait implements IdleStrategy {
  private static final long LONGEST_WAIT_NANOS = 1_000_000_000L;

  static final long MEASURED = -1;

  /**
   * Work that stays away for longer is waited for in the kernel, where a wake-up costs some ten
   * microseconds (hundreds where it is emulated): less than a tenth of the time.
   */
  private static final long WORTH_WHILE_NANOS = 500_000;

  /** A long pause is no reason to expect nothing but long pauses. */
  private static final long MOST_COUNTED_NANOS = 2 * WORTH_WHILE_NANOS;

  /** Of each pause an eighth counts. */
  private static final int WEIGHT_SHIFT = 3;

  /** A power of two. */
  private static final int YIELD_EVERY = 8;

  /** With one processor, what a loop spins for may be a handler that it keeps from running. */
  private final boolean yields = Runtime.getRuntime().availableProcessors() == 1;

  private final EventLoop loop;
  private final long fixedNanos;
  private long pause = MOST_COUNTED_NANOS;
  private boolean isIdle;
  private long idleSince;
  private long spinNanos;
  private int spins;

  /** Spins for so long, or for {@link #MEASURED}. */
  SpinThenWait(EventLoop loop, long fixedNanos) {
    this.loop = loop;
    this.fixedNanos = fixedNanos;
  }

  @Override
  public void idle(int workCount) {
    if (workCount > 0) {
      reset();
    } else {
      idle();
    }
  }

  @Override
  public void idle() {
    long now = loop.now();
    if (!isIdle) {
      isIdle = true;
      idleSince = now;
      spinNanos = fixedNanos == MEASURED ? measured() : fixedNanos;
    }
    if (now - idleSince < spinNanos) {
      spin();
    } else if (loop.doWork(LONGEST_WAIT_NANOS) > 0) {
      reset();
    }
  }

  private long measured() {
    return pause <= WORTH_WHILE_NANOS && loop.hasUpgradedLinks() ? 2 * pause : 0;
  }

  @SuppressWarnings("ThreadPriorityCheck") // who is to run instead is known
  private void spin() {
    if (yields && (++spins & (YIELD_EVERY - 1)) == 0) {
      Thread.yield();
    } else {
      Thread.onSpinWait();
    }
  }

  @Override
  public void reset() {
    if (isIdle) {
      isIdle = false;
      long nanos = Math.min(loop.now() - idleSince, MOST_COUNTED_NANOS);
      pause += (nanos - pause) >> WEIGHT_SHIFT;
    }
  }
}
