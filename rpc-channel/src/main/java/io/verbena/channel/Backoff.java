package io.verbena.channel;

import io.verbena.api.settings.Checks;
import io.verbena.link.runtime.NanoClock;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The delays between attempts. Each is twice as long as the one before, up to {@code longest}. A
 * random part of up to half is taken off, so that clients that met the same failure do not all come
 * back at once. Immutable; start from {@link #of}.
 */
public final class Backoff {

  private final Values values;

  private record Values(Duration first, Duration longest) {
    private Values {
      Checks.positive("first", first);
      Checks.atLeast("longest", longest, first, "the first delay, " + first);
    }
  }

  private Backoff(Values values) {
    this.values = values;
  }

  /** Returns the first delay, longer than 0. */
  public Duration first() {
    return values.first;
  }

  /** Returns the longest delay, not shorter than {@code first}. */
  public Duration longest() {
    return values.longest;
  }

  /**
   * Returns delays.
   *
   * @param first the first delay, longer than 0
   * @param longest the longest delay, not shorter than {@code first}
   */
  public static Backoff of(Duration first, Duration longest) {
    return new Backoff(new Values(first, longest));
  }

  /** Returns these delays with another first one, longer than 0. */
  public Backoff withFirst(Duration value) {
    return new Backoff(new Values(value, values.longest));
  }

  /** Returns these delays with another longest one, not shorter than the first. */
  public Backoff withLongest(Duration value) {
    return new Backoff(new Values(values.first, value));
  }

  /**
   * Returns the delay in nanoseconds before the next attempt, after {@code failures} failed ones.
   */
  long nanos(int failures, RandomGenerator random) {
    long whole = NanoClock.nanos(values.first);
    long most = NanoClock.nanos(values.longest);
    for (int i = 1; i < failures && whole < most; i++) {
      whole *= 2;
    }
    whole = Math.min(whole, most);
    return whole - random.nextLong(whole / 2 + 1);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Backoff it && values.equals(it.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  /** Returns the name and value of each option. */
  @Override
  public String toString() {
    return values.toString().replaceFirst("Values", "Backoff");
  }
}
