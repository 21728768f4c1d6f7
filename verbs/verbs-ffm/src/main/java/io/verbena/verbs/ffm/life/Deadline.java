package io.verbena.verbs.ffm.life;

import java.util.concurrent.TimeUnit;

/** The end of a wait, on the clock of {@link System#nanoTime}. */
public final class Deadline {
  private static final long FOREVER = Long.MAX_VALUE;

  private final long nanos;

  private Deadline(long nanos) {
    this.nanos = nanos;
  }

  /** Converts a time limit of DiSNI: milliseconds, negative for none. */
  public static Deadline ofMillis(int millis) {
    return millis < 0 ? new Deadline(FOREVER) : ofNanos(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  /** Converts a time limit of Verbena's interfaces: nanoseconds, never negative. */
  public static Deadline ofNanos(long nanos) {
    if (nanos < 0) {
      throw new IllegalArgumentException(
          "A time limit of " + nanos + " ns; it must not be negative");
    }
    long end = System.nanoTime() + nanos;
    return new Deadline(nanos > FOREVER / 4 || end == FOREVER ? FOREVER : end);
  }

  /** Returns the rest for poll(2) in milliseconds, rounded up; 0 at the end, -1 for no limit. */
  public int pollMillis() {
    if (nanos == FOREVER) {
      return -1;
    }
    long left = nanos - System.nanoTime();
    return left <= 0 ? 0 : (int) Math.min(Integer.MAX_VALUE, (left + 999_999) / 1_000_000);
  }
}
