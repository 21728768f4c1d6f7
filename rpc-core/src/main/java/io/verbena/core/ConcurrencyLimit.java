package io.verbena.core;

import io.verbena.api.Priority;
import io.verbena.api.settings.Checks;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The number of calls that a server runs at once, over all sessions. The limit follows the latency
 * of calls. It rises while more concurrent calls do not take longer, and falls when they do.
 * Further calls are refused before they run, with RESOURCE_EXHAUSTED, NOT_EXECUTED. Calls of low
 * {@link Priority} are refused first, because each priority may fill only its share of the limit.
 * Immutable; start from {@link #DEFAULT}.
 *
 * <p>A call counts from its arrival until its handler has ended, including the wait for a thread.
 * One-way calls, calls with streams, and calls of {@code nonBlocking} handlers do not count and are
 * not refused.
 */
public final class ConcurrencyLimit {
  /**
   * A limit of 20 at the start, then 4 to 1,000. Normal calls may fill four fifths of it,
   * background calls half.
   */
  public static final ConcurrencyLimit DEFAULT =
      new ConcurrencyLimit(new Values(20, 4, 1_000, 0.8, 0.5, Set.of()));

  private static final int MOST = 1_000_000;

  private final Values values;

  private record Values(
      int initial,
      int least,
      int most,
      double normalShare,
      double backgroundShare,
      Set<String> exempt) {
    private Values {
      Checks.between("least", least, 1, MOST);
      Checks.between("most", most, least, MOST);
      Checks.between("initial", initial, least, most);
      Checks.that(
          normalShare > 0 && normalShare <= 1, "normalShare", "more than 0, to 1", normalShare);
      Checks.that(
          backgroundShare > 0 && backgroundShare <= normalShare,
          "backgroundShare",
          "more than 0, to normalShare",
          backgroundShare);
      exempt = Set.copyOf(Checks.required("exempt", exempt));
    }
  }

  private ConcurrencyLimit(Values values) {
    this.values = values;
  }

  /** Returns the limit at the start, between {@code least} and {@code most}. */
  public int initial() {
    return values.initial;
  }

  /** Returns the lowest limit, at least 1. */
  public int least() {
    return values.least;
  }

  /** Returns the highest limit, at most 1,000,000. */
  public int most() {
    return values.most;
  }

  /**
   * Returns the part of the limit that {@link Priority#NORMAL} calls may fill, more than 0 and at
   * most 1. {@link Priority#CRITICAL} calls may fill all of it.
   */
  public double normalShare() {
    return values.normalShare;
  }

  /**
   * Returns the part that {@link Priority#BACKGROUND} calls may fill, more than 0 and at most
   * {@code normalShare}.
   */
  public double backgroundShare() {
    return values.backgroundShare;
  }

  /**
   * Returns methods that do not count, each as {@code service/method}. Exempt methods that wait for
   * an event, because their latency does not depend on the load.
   */
  public Set<String> exempt() {
    return values.exempt;
  }

  /** Returns this limit with another value at the start. */
  public ConcurrencyLimit withInitial(int calls) {
    return new ConcurrencyLimit(
        new Values(
            calls,
            values.least,
            values.most,
            values.normalShare,
            values.backgroundShare,
            values.exempt));
  }

  /** Returns this limit with other bounds. The initial value is moved into them. */
  public ConcurrencyLimit withBounds(int least, int most) {
    int within = Math.max(least, Math.min(most, values.initial));
    return new ConcurrencyLimit(
        new Values(within, least, most, values.normalShare, values.backgroundShare, values.exempt));
  }

  /** Returns this limit with other shares for normal and background calls. */
  public ConcurrencyLimit withShares(double normal, double background) {
    return new ConcurrencyLimit(
        new Values(values.initial, values.least, values.most, normal, background, values.exempt));
  }

  /** Returns this limit with other exempt methods, each as {@code service/method}. */
  public ConcurrencyLimit withExempt(String... methods) {
    Set<String> names = Set.of(Checks.required("exempt", methods));
    return new ConcurrencyLimit(
        new Values(
            values.initial,
            values.least,
            values.most,
            values.normalShare,
            values.backgroundShare,
            names));
  }

  /** Returns the part of the limit that calls of a priority may fill. */
  public double share(Priority priority) {
    return switch (priority) {
      case CRITICAL -> 1;
      case NORMAL -> values.normalShare;
      case BACKGROUND -> values.backgroundShare;
    };
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ConcurrencyLimit it && values.equals(it.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  /** Returns the name and value of each option. */
  @Override
  public String toString() {
    return values.toString().replaceFirst("Values", "ConcurrencyLimit");
  }
}
