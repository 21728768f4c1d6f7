package io.verbena.bench.load;

import java.util.concurrent.locks.LockSupport;

/** When calls are due. At a fixed rate that follows from a call's number alone. */
final class Schedule {
  /** A thread that sleeps wakes up to 50 us late (Linux's timer slack): the rest is spun. */
  private static final long SPIN_NANOS = 60_000;

  /** Threads that make calls must have started by then, so that the first is not late by that. */
  private static final long LEAD_NANOS = 10_000_000;

  private final double nanosBetween;
  private volatile long start;

  /**
   * A schedule.
   *
   * @param ratePerSecond 0: each call is due when it is asked for
   */
  Schedule(double ratePerSecond) {
    nanosBetween = ratePerSecond > 0 ? 1e9 / ratePerSecond : 0;
  }

  /** Has the first call be due in a moment. */
  void begin() {
    start = System.nanoTime() + LEAD_NANOS;
  }

  /** Returns how many nanoseconds have passed since the first call was due. */
  long passed() {
    return System.nanoTime() - start;
  }

  /** Returns how many nanoseconds so many calls are spread over; 0: they are not. */
  long nanos(long calls) {
    return (long) (calls * nanosBetween);
  }

  /** Waits until a call is due, unless it is already; returns when it was. */
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
