package io.verbena.channel;

import io.verbena.api.settings.Checks;
import io.verbena.link.runtime.NanoClock;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Delays that double from one attempt to the next, each between half of it and the whole, by
 * chance: those who met the same failure do not all come back at once.
 *
 * @param first the first delay, longer than 0
 * @param longest no delay is longer
 */
public record Backoff(Duration first, Duration longest) {
  /** Checks what is set. */
  public Backoff {
    Checks.positive("first", first);
    Checks.atLeast("longest", longest, first, "the first delay, " + first);
  }

  /** Returns the delay before the next attempt, in nanoseconds, after so many that failed. */
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
