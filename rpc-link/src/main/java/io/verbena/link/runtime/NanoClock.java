package io.verbena.link.runtime;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * A monotonic clock. Injected wherever time matters, so that tests and simulations own the time.
 */
@FunctionalInterface
public interface NanoClock {
  /** The machine's own. */
  NanoClock SYSTEM = System::nanoTime;

  /** 73 years: instants that are compared by their difference must not be further apart. */
  long LONGEST_NANOS = Long.MAX_VALUE / 4;

  /** Returns nanoseconds since some fixed, arbitrary moment; never goes back. */
  long nanoTime();

  /**
   * Waits on this clock for a permit, which may be free already.
   *
   * @param nanos at most so long
   * @return whether it has one now
   */
  default boolean acquire(Semaphore permits, long nanos) throws InterruptedException {
    return permits.tryAcquire(nanos, TimeUnit.NANOSECONDS);
  }

  /** Returns a time in nanoseconds, at most {@link #LONGEST_NANOS}. */
  static long nanos(Duration time) {
    return time.compareTo(Duration.ofNanos(LONGEST_NANOS)) < 0 ? time.toNanos() : LONGEST_NANOS;
  }
}
