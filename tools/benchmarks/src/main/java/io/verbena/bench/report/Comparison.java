package io.verbena.bench.report;

import static java.util.Locale.ROOT;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * Finds changes between two reports beyond noise. A figure has changed under three conditions. Mann
 * and Whitney's test gives p below 0.05 for its rounds before and after. Its median moved by more
 * than a tenth. The median moved by more than the rounds of one run differ.
 */
public final class Comparison {
  /** With fewer rounds on each side, a change never differs from chance. */
  public static final int LEAST_ROUNDS = 4;

  private static final double CHANCE = 0.05;
  private static final double LEAST_CHANGE = 0.1;

  private Comparison() {}

  /** The change of a figure. */
  public enum Verdict {
    /** Within noise. */
    UNCHANGED,
    /** Beyond noise. */
    BETTER,
    /** Beyond noise. */
    WORSE,
    /** Too few rounds. */
    UNKNOWN
  }

  private record Figure(String title, ToDoubleFunction<Round> value, boolean moreIsBetter) {}

  private static final List<Figure> FIGURES =
      List.of(
          new Figure("p50", Round::p50, false),
          new Figure("p99", Round::p99, false),
          new Figure("calls/s", Round::callsPerSecond, true),
          new Figure("GB/s beside", Round::besideGigabytesPerSecond, true));

  /**
   * One figure before and after.
   *
   * @param chance the probability that rounds of one source differ as much
   */
  public record Row(
      String contestant,
      String load,
      String figure,
      double before,
      double after,
      double chance,
      Verdict verdict) {}

  /** Compares the results that both reports have. */
  public static List<Row> of(Report before, Report after) {
    List<Row> rows = new ArrayList<>();
    for (Result old : before.results()) {
      find(old, after)
          .ifPresent(
              result ->
                  FIGURES.stream()
                      .filter(figure -> old.median(figure.value) > 0) // 0 means unknown
                      .map(figure -> row(figure, old, result))
                      .forEach(rows::add));
    }
    return rows;
  }

  /** Returns a line for each contestant and load that only the first report has. */
  public static List<String> missing(Report one, Report other) {
    return one.results().stream()
        .filter(result -> find(result, other).isEmpty())
        .map(
            result -> {
              String name = result.contestant();
              String why = other.absent().get(name);
              return name + ", " + Tables.words(result.load()) + (why == null ? "" : ": " + why);
            })
        .toList();
  }

  private static Optional<Result> find(Result like, Report report) {
    return report.results().stream()
        .filter(result -> result.contestant().equals(like.contestant()))
        .filter(result -> Tables.words(result.load()).equals(Tables.words(like.load())))
        .findFirst();
  }

  private static Row row(Figure figure, Result before, Result after) {
    double was = before.median(figure.value);
    double is = after.median(figure.value);
    double[] old = values(before, figure);
    double[] now = values(after, figure);
    double chance = MannWhitney.chance(old, now);
    return new Row(
        before.contestant(),
        Tables.words(before.load()),
        figure.title,
        was,
        is,
        chance,
        verdict(figure, old, now, is / was - 1, chance));
  }

  private static Verdict verdict(
      Figure figure, double[] old, double[] now, double change, double chance) {
    if (Math.min(old.length, now.length) < LEAST_ROUNDS) {
      return Verdict.UNKNOWN;
    }
    double noise = Math.max(LEAST_CHANGE, Math.max(spread(old), spread(now)));
    if (chance >= CHANCE || Math.abs(change) < noise) {
      return Verdict.UNCHANGED;
    }
    return change > 0 == figure.moreIsBetter ? Verdict.BETTER : Verdict.WORSE;
  }

  /** Returns the interquartile range of sorted values, as a part of their median. */
  private static double spread(double[] sorted) {
    double low = sorted[sorted.length / 4];
    double high = sorted[sorted.length - 1 - sorted.length / 4];
    return (high - low) / sorted[sorted.length / 2];
  }

  private static double[] values(Result result, Figure figure) {
    return result.rounds().stream().mapToDouble(figure.value).sorted().toArray();
  }

  public static String table(List<Row> rows) {
    List<List<String>> cells = new ArrayList<>();
    cells.add(List.of("contestant", "load", "figure", "before", "after", "change", "p", "verdict"));
    for (Row row : rows) {
      cells.add(
          List.of(
              row.contestant,
              row.load,
              row.figure,
              String.format(ROOT, "%,.1f", row.before),
              String.format(ROOT, "%,.1f", row.after),
              String.format(ROOT, "%+.0f %%", 100 * (row.after / row.before - 1)),
              String.format(ROOT, "%.3f", row.chance),
              row.verdict.name().toLowerCase(ROOT)));
    }
    return Tables.table(cells);
  }
}
