package io.verbena.api;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a caller may set for the calls of one stub. Immutable.
 *
 * @param timeout the deadline of each call, counted from its start; null: the method's own, else
 *     the session's default. A call made inside a handler ends no later than the handler's own
 *     deadline.
 */
public record CallOptions(@Nullable Duration timeout) {
  /** Nothing set. */
  public static final CallOptions DEFAULT = new CallOptions(null);

  /** Checks that a timeout is positive. */
  public CallOptions {
    if (timeout != null && (timeout.isNegative() || timeout.isZero())) {
      throw new IllegalArgumentException("timeout must be positive, not " + timeout);
    }
  }

  /** Returns options with this timeout. */
  public static CallOptions timeout(Duration timeout) {
    return new CallOptions(timeout);
  }
}
