package io.verbena.core.loop;

import org.agrona.concurrent.IdleStrategy;

/**
 * Spins for a while after the last work, then waits: a reply that comes within a round trip is met
 * without a wake-up, and an idle loop costs nothing.
 */
final class SpinThenWait implements IdleStrategy {
  private static final long LONGEST_WAIT_NANOS = 1_000_000_000L;
  private static final long NOT_IDLE = Long.MIN_VALUE;

  private final EventLoop loop;
  private final long spinNanos;
  private long idleSince = NOT_IDLE;

  SpinThenWait(EventLoop loop, long spinNanos) {
    this.loop = loop;
    this.spinNanos = spinNanos;
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
    long now = loop.clock().nanoTime();
    if (idleSince == NOT_IDLE) {
      idleSince = now;
    }
    if (now - idleSince < spinNanos) {
      Thread.onSpinWait();
    } else {
      loop.await(LONGEST_WAIT_NANOS);
      // What woke the loop may be followed by more: spin anew.
      reset();
    }
  }

  @Override
  public void reset() {
    idleSince = NOT_IDLE;
  }
}
