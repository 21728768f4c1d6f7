package io.verbena.link.runtime;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * A monotonic clock. Code receives its clock from outside, so that tests and simulations control
 * the time.
 */
@FunctionalInterface
public interface NanoClock {
  /** The clock of the machine. */
  NanoClock SYSTEM = System::nanoTime;

  /** 73 years. Two instants that are compared by their difference must not be further apart. */
  long LONGEST_NANOS = Long.MAX_VALUE / 4;

  /** Returns the nanoseconds since a fixed, arbitrary moment. The value never decreases. */
  long nanoTime();

  /**
   * Waits for a permit, by the time of this clock.
   *
   * @param nanos the longest wait
   * @return whether it acquired a permit
   */
  default boolean acquire(Semaphore permits, long nanos) throws InterruptedException {
    return permits.tryAcquire(nanos, TimeUnit.NANOSECONDS);
  }

  /** Returns a duration in nanoseconds, at most {@link #LONGEST_NANOS}. */
  static long nanos(Duration time) {
    return time.compareTo(Duration.ofNanos(LONGEST_NANOS)) < 0 ? time.toNanos() : LONGEST_NANOS;
  }
}
