package io.verbena.bench.load;

import java.util.concurrent.locks.LockSupport;

/** The due times of calls. At a fixed rate they depend only on the number of the call. */
final class Schedule {
  /** A sleeping thread wakes up to 50 us late (timer slack of Linux), so it spins at the end. */
  private static final long SPIN_NANOS = 60_000;

  /** The time for threads to start, so that the first call is not late. */
  private static final long LEAD_NANOS = 10_000_000;

  private final double nanosBetween;
  private volatile long start;

  /**
   * Makes a schedule.
   *
   * @param ratePerSecond the rate of calls. With 0, each call is due on request
   */
  Schedule(double ratePerSecond) {
    nanosBetween = ratePerSecond > 0 ? 1e9 / ratePerSecond : 0;
  }

  /** Starts the schedule. The first call is due soon after. */
  void begin() {
    start = System.nanoTime() + LEAD_NANOS;
  }

  /** Returns the nanoseconds since the first call was due. */
  long passed() {
    return System.nanoTime() - start;
  }

  /** Returns the nanoseconds over which a number of calls is spread; 0 without a rate. */
  long nanos(long calls) {
    return (long) (calls * nanosBetween);
  }

  /** Waits until a call is due, and returns its due time. */
  long awaitTurn(long number) {
    if (nanosBetween == 0) {
      return System.nanoTime();
    }
    long due = start + nanos(number);
    long left = due - System.nanoTime();
    while (left > 0) {
      if (left > SPIN_NANOS) {
        LockSupport.parkNanos(left - SPIN_NANOS);
      } else {
        Thread.onSpinWait();
      }
      left = due - System.nanoTime();
    }
    return due;
  }
}
