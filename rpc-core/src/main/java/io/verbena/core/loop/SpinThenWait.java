package io.verbena.core.loop;

import org.agrona.concurrent.IdleStrategy;

/**
 * Spins for a while after the last work, and then waits. A reply within a round trip then needs no
 * wake-up, and an idle loop costs nothing. Duty cycles read the clock.
 *
 * <p>The time of spinning is fixed or measured. A measured time is twice the recent gap between
 * work, if that gap is short. While calls are made one after the other, the gap is about a round
 * trip. A measured time is used only with better links, which are polled without a system call, and
 * only while {@linkplain ProcessorDelay processors are free}.
 */
final class SpinThenWait implements IdleStrategy, AutoCloseable {
  private static final long LONGEST_WAIT_NANOS = 1_000_000_000L;

  static final long MEASURED = -1;

  /**
   * For longer gaps the loop waits in the kernel. A wake-up costs some ten microseconds, or
   * hundreds on an emulated machine, which is less than a tenth of such a gap.
   */
  private static final long WORTH_WHILE_NANOS = 500_000;

  /** The longest gap that counts in full, so that one long pause does not dominate the mean. */
  private static final long MOST_COUNTED_NANOS = 2 * WORTH_WHILE_NANOS;

  /** Each gap has a weight of an eighth. */
  private static final int WEIGHT_SHIFT = 3;

  /** A power of two. */
  private static final int YIELD_EVERY = 8;

  /**
   * With one processor, a spinning loop may keep the very handler from running that it waits for.
   */
  private final boolean yields = Runtime.getRuntime().availableProcessors() == 1;

  private final ProcessorDelay delay = new ProcessorDelay();
  private final EventLoop loop;
  private final long fixedNanos;
  private long pause = MOST_COUNTED_NANOS;
  private boolean isIdle;
  private long idleSince;
  private long spinNanos;
  private int spins;

  /** Spins for a fixed time, or for {@link #MEASURED}. */
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
      spinNanos = fixedNanos == MEASURED ? measured(now) : fixedNanos;
    }
    if (now - idleSince < spinNanos) {
      spin();
    } else if (loop.doWork(LONGEST_WAIT_NANOS) > 0) {
      reset();
    }
  }

  private long measured(long now) {
    boolean pays = pause <= WORTH_WHILE_NANOS && loop.hasUpgradedLinks();
    return pays && !delay.isShort(now) ? 2 * pause : 0;
  }

  @SuppressWarnings("ThreadPriorityCheck") // the thread that should run is known
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

  /** The loop has ended. */
  @Override
  public void close() {
    delay.close();
  }
}
