package io.verbena.bench.report;

import static java.util.Locale.ROOT;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * Tells what changed between two reports beyond noise: a figure has changed if its rounds before
 * and after would hardly (p below 0.05, Mann and Whitney's test) come from one source, and its
 * median moved by more than a tenth and by more than rounds of one run differ.
 */
public final class Comparison {
  /** Fewer rounds than these on each side can never be told from chance. */
  public static final int LEAST_ROUNDS = 4;

  private static final double CHANCE = 0.05;
  private static final double LEAST_CHANGE = 0.1;

  private Comparison() {}

  /** What became of a figure. */
  public enum Verdict {
    /** It cannot be told from noise. */
    UNCHANGED,
    /** Beyond noise. */
    BETTER,
    /** Beyond noise. */
    WORSE,
    /** Too few rounds to tell. */
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
   * @param chance that rounds of one source differ as much
   */
  public record Row(
      String contestant,
      String load,
      String figure,
      double before,
      double after,
      double chance,
      Verdict verdict) {}

  /** Compares what is in both reports. */
  public static List<Row> of(Report before, Report after) {
    List<Row> rows = new ArrayList<>();
    for (Result old : before.results()) {
      find(old, after)
          .ifPresent(
              result ->
                  FIGURES.stream()
                      .filter(figure -> old.median(figure.value) > 0) // else it was not told
                      .map(figure -> row(figure, old, result))
                      .forEach(rows::add));
    }
    return rows;
  }

  /** Returns a line for each contestant and load that one report has and the other one has not. */
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

  /** Returns how far the middle half of sorted values lies apart, as a part of their median. */
  private static double spread(double[] sorted) {
    double low = sorted[sorted.length / 4];
    double high = sorted[sorted.length - 1 - sorted.length / 4];
    return (high - low) / sorted[sorted.length / 2];
  }

  private static double[] values(Result result, Figure figure) {
    return result.rounds().stream().mapToDouble(figure.value).sorted().toArray();
  }

  /** Returns a comparison as text. */
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
