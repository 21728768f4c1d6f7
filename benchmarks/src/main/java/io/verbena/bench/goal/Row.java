package io.verbena.bench.goal;

import static java.util.Locale.ROOT;

import io.verbena.bench.report.Tables;
import java.util.ArrayList;
import java.util.List;

/**
 * One target and how near it is.
 *
 * @param unit of figure and rival's figure
 * @param moreIsBetter whether the ratio shall be at least the limit, or at most
 * @param why it was not measured; empty: it was
 */
public record Row(
    String target,
    double figure,
    String rival,
    double rivalFigure,
    String unit,
    boolean moreIsBetter,
    double limit,
    String why) {

  /** A target that asks for a ratio of at least this. */
  static Row atLeast(
      String target, double figure, String rival, double rivalFigure, String unit, double limit) {
    return new Row(target, figure, rival, rivalFigure, unit, true, limit, "");
  }

  /** A target that asks for a ratio of at most this. */
  static Row atMost(
      String target, double figure, String rival, double rivalFigure, String unit, double limit) {
    return new Row(target, figure, rival, rivalFigure, unit, false, limit, "");
  }

  /** A target that this run cannot tell about. */
  static Row unmeasured(String target, String why) {
    return new Row(target, 0, "", 0, "", true, 0, why);
  }

  /** Returns the figure by the rival's. */
  public double ratio() {
    return figure / rivalFigure;
  }

  /** Returns whether the target was measured and is reached. */
  public boolean isReached() {
    return why.isEmpty() && (moreIsBetter ? ratio() >= limit : ratio() <= limit);
  }

  /** Returns rows as text. */
  public static String table(List<Row> rows) {
    List<List<String>> cells = new ArrayList<>();
    cells.add(List.of("target", "figure", "rival", "its figure", "unit", "ratio", "wanted", ""));
    for (Row row : rows) {
      boolean measured = row.why.isEmpty();
      cells.add(
          List.of(
              row.target,
              measured ? number(row.figure) : "-",
              row.rival,
              measured ? number(row.rivalFigure) : "-",
              row.unit,
              measured ? String.format(ROOT, "%.2f", row.ratio()) : "-",
              measured
                  ? String.format(ROOT, row.moreIsBetter ? ">= %.2f" : "<= %.2f", row.limit)
                  : "-",
              row.isReached() ? "ok" : measured ? "short" : "short: not measured: " + row.why));
    }
    return Tables.table(cells);
  }

  private static String number(double value) {
    return String.format(ROOT, value < 100 ? "%.2f" : "%,.0f", value);
  }
}
