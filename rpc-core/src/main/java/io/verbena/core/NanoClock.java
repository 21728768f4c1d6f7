package io.verbena.core;

import java.time.Duration;

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

  /** Returns a time in nanoseconds, at most {@link #LONGEST_NANOS}. */
  static long nanos(Duration time) {
    return time.compareTo(Duration.ofNanos(LONGEST_NANOS)) < 0 ? time.toNanos() : LONGEST_NANOS;
  }
}
