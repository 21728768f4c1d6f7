package io.verbena.bench.load;

import java.util.concurrent.locks.LockSupport;

/** When calls are due. At a fixed rate that follows from a call's number alone. */
final class Schedule {
  /** A thread that sleeps wakes up to 50 us late (Linux's timer slack): the rest is spun. */
  private static final long SPIN_NANOS = 60_000;

  private final double nanosBetween;
  private final long start = System.nanoTime();

  /**
   * A schedule from now on.
   *
   * @param ratePerSecond 0: each call is due when it is asked for
   */
  Schedule(double ratePerSecond) {
    nanosBetween = ratePerSecond > 0 ? 1e9 / ratePerSecond : 0;
  }

  /** Waits until a call is due, unless it is already; returns when it was. */
  long awaitTurn(long number) {
    if (nanosBetween == 0) {
      return System.nanoTime();
    }
    long due = start + (long) (number * nanosBetween);
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
