package io.verbena.verbs.ffm.life;

import java.util.concurrent.TimeUnit;

/** When a wait is over, on {@link System#nanoTime}. */
public final class Deadline {
  private static final long FOREVER = Long.MAX_VALUE;

  private final long nanos;

  private Deadline(long nanos) {
    this.nanos = nanos;
  }

  /** DiSNI's time limits: milliseconds, negative for none. */
  public static Deadline ofMillis(int millis) {
    return millis < 0 ? new Deadline(FOREVER) : ofNanos(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  /** A time limit of this project's interfaces: nanoseconds, never negative. */
  public static Deadline ofNanos(long nanos) {
    if (nanos < 0) {
      throw new IllegalArgumentException(
          "A time limit of " + nanos + " ns; it must not be negative");
    }
    long end = System.nanoTime() + nanos;
    return new Deadline(nanos > FOREVER / 4 || end == FOREVER ? FOREVER : end);
  }

  /** What is left for poll(2): milliseconds rounded up, 0 when it is over, -1 for no limit. */
  public int pollMillis() {
    if (nanos == FOREVER) {
      return -1;
    }
    long left = nanos - System.nanoTime();
    return left <= 0 ? 0 : (int) Math.min(Integer.MAX_VALUE, (left + 999_999) / 1_000_000);
  }
}
