package io.verbena.core;

import io.verbena.api.Priority;
import io.verbena.api.settings.Checks;
import java.util.Set;

/**
 * How many calls a server runs at once, all sessions together. The limit follows their latency: it
 * rises while more calls at once do not take longer, and falls when they do. Calls beyond it are
 * refused before they run, with RESOURCE_EXHAUSTED, NOT_EXECUTED; those of low {@link Priority}
 * first, since each priority may fill its share of the limit alone. Immutable; begin with {@link
 * #DEFAULT}.
 *
 * <p>A call counts from its arrival until its handler has ended, with the time that it waits for a
 * thread. One-way calls, calls with streams, and those whose handlers are {@code nonBlocking} do
 * not count, and are not refused.
 *
 * @param initial the limit at the start, between both bounds
 * @param least the limit falls no lower, from 1
 * @param most it rises no higher, to 1,000,000
 * @param normalShare which part of the limit {@link Priority#NORMAL} calls may fill, more than 0
 *     and at most 1; {@link Priority#CRITICAL} ones may fill all of it
 * @param backgroundShare which part {@link Priority#BACKGROUND} calls may fill, more than 0 and at
 *     most {@code normalShare}
 * @param exempt methods that do not count, as {@code service/method}: those that wait for an event,
 *     for which no more calls at once take longer
 */
public record ConcurrencyLimit(
    int initial,
    int least,
    int most,
    double normalShare,
    double backgroundShare,
    Set<String> exempt) {
  /** 20 at the start, 4 to 1,000; four fifths for normal calls, half for background ones. */
  public static final ConcurrencyLimit DEFAULT =
      new ConcurrencyLimit(20, 4, 1_000, 0.8, 0.5, Set.of());

  private static final int MOST = 1_000_000;

  /** Checks what is set. */
  public ConcurrencyLimit {
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

  /** Returns the same with another limit at the start. */
  public ConcurrencyLimit withInitial(int calls) {
    return new ConcurrencyLimit(calls, least, most, normalShare, backgroundShare, exempt);
  }

  /** Returns the same with other bounds; what is initial is moved between them. */
  public ConcurrencyLimit withBounds(int least, int most) {
    int within = Math.max(least, Math.min(most, initial));
    return new ConcurrencyLimit(within, least, most, normalShare, backgroundShare, exempt);
  }

  /** Returns the same with other shares for normal and background calls. */
  public ConcurrencyLimit withShares(double normal, double background) {
    return new ConcurrencyLimit(initial, least, most, normal, background, exempt);
  }

  /** Returns the same where other methods do not count, each as {@code service/method}. */
  public ConcurrencyLimit withExempt(String... methods) {
    Set<String> names = Set.of(Checks.required("exempt", methods));
    return new ConcurrencyLimit(initial, least, most, normalShare, backgroundShare, names);
  }

  /** Returns which part of the limit calls of a priority may fill. */
  public double share(Priority priority) {
    return switch (priority) {
      case CRITICAL -> 1;
      case NORMAL -> normalShare;
      case BACKGROUND -> backgroundShare;
    };
  }
}
