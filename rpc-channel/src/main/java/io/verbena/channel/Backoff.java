package io.verbena.channel;

import io.verbena.api.settings.Checks;
import io.verbena.link.runtime.NanoClock;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * The delays between attempts. Each is twice as long as the one before, up to {@code longest}. A
 * random part of up to half is taken off, so that clients that met the same failure do not all come
 * back at once.
 *
 * @param first the first delay, longer than 0
 * @param longest the longest delay, not shorter than {@code first}
 */
public record Backoff(Duration first, Duration longest) {
  /** Checks the delays. */
  public Backoff {
    Checks.positive("first", first);
    Checks.atLeast("longest", longest, first, "the first delay, " + first);
  }

  /**
   * Returns the delay in nanoseconds before the next attempt, after {@code failures} failed ones.
   */
  long nanos(int failures, RandomGenerator random) {
    long whole = NanoClock.nanos(first);
    long most = NanoClock.nanos(longest);
    for (int i = 1; i < failures && whole < most; i++) {
      whole *= 2;
    }
    whole = Math.min(whole, most);
    return whole - random.nextLong(whole / 2 + 1);
  }
}
