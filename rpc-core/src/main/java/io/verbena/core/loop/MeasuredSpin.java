package io.verbena.core.loop;

/**
 * Spins twice as long as work has lately been away for, where that is short: about a round trip
 * while calls are made one after the other. Only where sessions have upgraded, whose links are
 * polled without a system call.
 */
final class MeasuredSpin implements SpinThenWait.Limit {
  /**
   * Work that stays away for longer is waited for in the kernel, where a wake-up costs some ten
   * microseconds (hundreds where it is emulated): less than a tenth of the time.
   */
  private static final long WORTH_WHILE_NANOS = 500_000;

  /** A long pause is no reason to expect nothing but long pauses. */
  private static final long MOST_COUNTED_NANOS = 2 * WORTH_WHILE_NANOS;

  /** Of each pause an eighth counts. */
  private static final int WEIGHT_SHIFT = 3;

  private final EventLoop loop;
  private long pause = MOST_COUNTED_NANOS;

  MeasuredSpin(EventLoop loop) {
    this.loop = loop;
  }

  @Override
  public long nanos() {
    return pause <= WORTH_WHILE_NANOS && loop.hasUpgradedLinks() ? 2 * pause : 0;
  }

  @Override
  public void wasIdle(long nanos) {
    pause += (Math.min(nanos, MOST_COUNTED_NANOS) - pause) >> WEIGHT_SHIFT;
  }
}
