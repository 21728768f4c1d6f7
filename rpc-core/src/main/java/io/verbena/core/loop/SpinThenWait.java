package io.verbena.core.loop;

import org.agrona.concurrent.IdleStrategy;

/**
 * Spins for a while after the last work, then waits: a reply that comes within a round trip is met
 * without a wake-up, and an idle loop costs nothing. Time is told by duty cycles, which read the
 * clock.
 */
final class SpinThenWait implements IdleStrategy {
  private static final long LONGEST_WAIT_NANOS = 1_000_000_000L;

  /** A power of two. */
  private static final int YIELD_EVERY = 8;

  /** With one processor, what a loop spins for may be a handler that it keeps from running. */
  private final boolean yields = Runtime.getRuntime().availableProcessors() == 1;

  private final EventLoop loop;
  private final Limit limit;
  private boolean isIdle;
  private long idleSince;
  private long spinNanos;
  private int spins;

  /** How long to spin. */
  interface Limit {
    /** Returns it, for a loop that has just become idle. */
    long nanos();

    /** There is work again, after so long. */
    void wasIdle(long nanos);

    /** Always the same. */
    record Fixed(long nanos) implements Limit {
      @Override
      public void wasIdle(long nanos) {}
    }
  }

  SpinThenWait(EventLoop loop, Limit limit) {
    this.loop = loop;
    this.limit = limit;
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
      spinNanos = limit.nanos();
    }
    if (now - idleSince < spinNanos) {
      spin();
    } else if (loop.doWork(LONGEST_WAIT_NANOS) > 0) {
      reset();
    }
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
      limit.wasIdle(loop.now() - idleSince);
    }
  }
}
