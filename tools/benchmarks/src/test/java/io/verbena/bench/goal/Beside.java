package io.verbena.bench.goal;

import io.verbena.bench.report.Result;
import io.verbena.bench.report.Round;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

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

  /** Compares the {@link Figures#p50} of two contestants. */
  static Beside p50(Figures all, String mine, String rival) {
    return of(all, mine, rival, Round::p50, 1);
  }

  /** Compares the latency that nine of ten calls of two contestants keep, in microseconds. */
  static Beside p90(Figures all, String mine, String rival) {
    return of(all, mine, rival, Round::p90, 1);
  }

  /** Compares the processor time of both ends for a call of two contestants, in microseconds. */
  static Beside cpu(Figures all, String mine, String rival) {
    return of(all, mine, rival, Round::cpuMicros, 1);
  }

  /** Compares the {@link Figures#rate} of two contestants. */
  static Beside rate(Figures all, String mine, String rival) {
    return of(all, mine, rival, Round::callsPerSecond, 1);
  }

  /** Compares the payload of two contestants, in MiB each second. */
  static Beside mebibytes(Figures all, String mine, String rival) {
    return of(all, mine, rival, Round::gigabytesPerSecond, 1e9 / (1 << 20));
  }

  private static Beside of(
      Figures all, String mine, String rival, ToDoubleFunction<Round> figure, double unit) {
    List<Round> my = all.of(mine).rounds();
    List<Round> their = all.of(rival).rounds();
    double[] ratios =
        IntStream.range(0, Math.min(my.size(), their.size()))
            .mapToDouble(i -> figure.applyAsDouble(my.get(i)) / figure.applyAsDouble(their.get(i)))
            .toArray();
    double mineInAll = all.of(mine).median(figure) * unit;
    double theirsInAll = all.of(rival).median(figure) * unit;
    return new Beside(mineInAll, rival, theirsInAll, Result.median(ratios));
  }

  /** Returns these figures with another name for the rival. */
  Beside named(String other) {
    return new Beside(figure, other, rivalFigure, ratio);
  }
}
