package io.verbena.channel;

import io.verbena.api.settings.Checks;
import org.jspecify.annotations.Nullable;

/**
 * Settings for servers that are left out for a while because calls to them failed. If all servers
 * are left out, calls go to them as if none were. Immutable; start from {@link #of}.
 */
public final class Ejection {

  private final Values values;

  private record Values(int failures, Backoff time) {
    private Values {
      Checks.between("failures", failures, 1, 1_000_000);
      Checks.required("time", time);
    }
  }

  private Ejection(Values values) {
    this.values = values;
  }

  /**
   * Returns the number of failed calls in a row, at least 1. These statuses count: UNAVAILABLE,
   * DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, INTERNAL and PROTOCOL_ERROR; UNIMPLEMENTED and
   * INCOMPATIBLE if the call was not executed. Calls that this end itself refuses because it makes
   * too many at once do not count.
   */
  public int failures() {
    return values.failures;
  }

  /** Returns how long the server is left out; longer each time, until a call there succeeds. */
  public Backoff time() {
    return values.time;
  }

  /**
   * Returns settings.
   *
   * @param failures the number of failed calls in a row, 1 to 1,000,000
   * @param time how long the server is left out
   */
  public static Ejection of(int failures, Backoff time) {
    return new Ejection(new Values(failures, time));
  }

  /** Returns these settings with another number of failed calls in a row, 1 to 1,000,000. */
  public Ejection withFailures(int value) {
    return new Ejection(new Values(value, values.time));
  }

  /** Returns these settings with another time for which a server is left out. */
  public Ejection withTime(Backoff value) {
    return new Ejection(new Values(values.failures, value));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Ejection it && values.equals(it.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  /** Returns the name and value of each option. */
  @Override
  public String toString() {
    return values.toString().replaceFirst("Values", "Ejection");
  }
}
