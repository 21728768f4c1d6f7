package io.verbena.bench.goal;

/**
 * A figure and a rival's.
 *
 * @param ratio the first by the second; where they took turns, the median of what it was in each
 *     round, since a machine that is slower for a while is so for both
 */
record Beside(double figure, String rival, double rivalFigure, double ratio) {
  /** Figures that were not taken by turns. */
  static Beside of(double figure, String rival, double rivalFigure) {
    return new Beside(figure, rival, rivalFigure, figure / rivalFigure);
  }

  /** Returns the same with another name for the rival. */
  Beside named(String other) {
    return new Beside(figure, other, rivalFigure, ratio);
  }
}
