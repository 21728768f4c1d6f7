package io.verbena.core.frame;

/**
 * The time that a request has left when its frame leaves, as its header says it: microseconds in 32
 * bits, unsigned; all ones: 71 minutes or more, or nobody waits, as for a one-way call.
 */
public final class TimeLeft {
  /** It takes as long as it takes. */
  public static final int UNTOLD = -1;

  private static final long MOST_MICROS = 0xffff_ffffL;
  private static final long UNTOLD_NANOS = Long.MAX_VALUE / 4;

  private TimeLeft() {}

  /** Returns how a header says so many nanoseconds. */
  public static int of(long nanos) {
    return (int) Math.max(0, Math.min(MOST_MICROS, nanos / 1000));
  }

  /** Returns what is left when so much time has passed, if it is known. */
  public static int after(int left, long nanos) {
    return left == UNTOLD ? UNTOLD : of(nanos(left) - nanos);
  }

  /** Returns it in nanoseconds; very many where the caller has not said how many. */
  public static long nanos(int left) {
    return left == UNTOLD ? UNTOLD_NANOS : Integer.toUnsignedLong(left) * 1000;
  }
}
