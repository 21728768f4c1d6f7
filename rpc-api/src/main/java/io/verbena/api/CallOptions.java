package io.verbena.api;

import io.verbena.api.settings.Checks;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a caller may set for the calls of one stub. Immutable.
 *
 * @param timeout the deadline of each call, counted from its start, longer than 0; null: the
 *     method's own, else the session's default. A call made inside a handler ends no later than the
 *     handler's own deadline.
 */
public record CallOptions(@Nullable Duration timeout) {
  /** Nothing set. */
  public static final CallOptions DEFAULT = new CallOptions(null);

  /** Checks the timeout. */
  public CallOptions {
    if (timeout != null) {
      Checks.positive("timeout", timeout);
    }
  }

  /** Returns options with this timeout. */
  public static CallOptions timeout(Duration timeout) {
    return new CallOptions(timeout);
  }
}
