package io.verbena.core;

/**
 * A monotonic clock. Injected wherever time matters, so that tests and simulations own the time.
 */
@FunctionalInterface
public interface NanoClock {
  /** The machine's own. */
  NanoClock SYSTEM = System::nanoTime;

  /** Returns nanoseconds since some fixed, arbitrary moment; never goes back. */
  long nanoTime();
}
