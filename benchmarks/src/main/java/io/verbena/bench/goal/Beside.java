package io.verbena.bench.goal;

/**
 * A figure beside that of a rival.
 *
 * @param ratio the figure divided by the rival's. If both took turns, the ratio is the median of
 *     the rounds' ratios, because a slower time of the machine affects both
 */
record Beside(double figure, String rival, double rivalFigure, double ratio) {
  /** Returns figures that were not measured by turns. */
  static Beside of(double figure, String rival, double rivalFigure) {
    return new Beside(figure, rival, rivalFigure, figure / rivalFigure);
  }

  /** Returns these figures with another name for the rival. */
  Beside named(String other) {
    return new Beside(figure, other, rivalFigure, ratio);
  }
}
