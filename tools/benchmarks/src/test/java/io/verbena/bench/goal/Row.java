package io.verbena.bench.goal;

import static java.util.Locale.ROOT;

/**
 * One target and how near it is.
 *
 * @param ratio of the figures, as {@link Beside} has it
 * @param unit of figure and rival's figure
 * @param moreIsBetter whether the ratio shall be at least the limit, or at most
 * @param doubt why the row proves nothing, whatever its ratio; empty: it does
 * @param isMeasured whether there are figures
 */
public record Row(
    String target,
    double figure,
    String rival,
    double rivalFigure,
    double ratio,
    String unit,
    boolean moreIsBetter,
    double limit,
    String doubt,
    boolean isMeasured) {
  private static final String LAYOUT = "%-46s %9s  %-16s %9s %-6s %6s %8s  %s";

  /** A target that asks for a ratio of at least this. */
  static Row atLeast(String target, Beside figures, String unit, double limit) {
    return of(target, figures, unit, true, limit);
  }

  /** A target that asks for a ratio of at most this. */
  static Row atMost(String target, Beside figures, String unit, double limit) {
    return of(target, figures, unit, false, limit);
  }

  private static Row of(
      String target, Beside figures, String unit, boolean moreIsBetter, double limit) {
    double theirs = figures.rivalFigure();
    return new Row(
        target,
        figures.figure(),
        figures.rival(),
        theirs,
        figures.ratio(),
        unit,
        moreIsBetter,
        limit,
        "",
        true);
  }

  /** A target that this run cannot tell about. */
  static Row unmeasured(String target, String why) {
    return new Row(target, 0, "", 0, 0, "", true, 0, why, false);
  }

  /** Returns this row, resting on nothing for that reason; itself where the reason is empty. */
  Row doubted(String why) {
    return why.isEmpty()
        ? this
        : new Row(
            target, figure, rival, rivalFigure, ratio, unit, moreIsBetter, limit, why, isMeasured);
  }

  /** Returns whether the target was measured beyond doubt and is reached. */
  public boolean isReached() {
    return isMeasured && doubt.isEmpty() && isNear();
  }

  private boolean isNear() {
    return Double.isFinite(ratio) && (moreIsBetter ? ratio >= limit : ratio <= limit);
  }

  private String verdict() {
    if (!isMeasured) {
      return "short: not measured: " + doubt;
    }
    String near = isNear() ? "ok" : "short";
    return doubt.isEmpty() ? near : "void, else " + near + ": " + doubt;
  }

  /** Returns what stands above rows. */
  static String heading() {
    return LAYOUT
        .formatted("target", "figure", "rival", "its", "unit", "ratio", "wanted", "")
        .strip();
  }

  /** Returns the row as a line. */
  @Override
  public String toString() {
    if (!isMeasured) {
      return LAYOUT.formatted(target, "-", "", "-", "", "-", "-", verdict());
    }
    return LAYOUT.formatted(
        target,
        number(figure),
        rival,
        number(rivalFigure),
        unit,
        String.format(ROOT, "%.2f", ratio),
        String.format(ROOT, moreIsBetter ? ">= %.2f" : "<= %.2f", limit),
        verdict());
  }

  private static String number(double value) {
    return String.format(ROOT, value < 100 ? "%.2f" : "%,.0f", value);
  }
}
