package io.verbena.bench.goal;

import io.verbena.bench.report.Result;
import io.verbena.bench.report.Round;
import io.verbena.bench.rival.Rival;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/** Results of one load, by contestant. */
record Figures(List<Result> results) {
  boolean has(String contestant) {
    return results.stream().anyMatch(result -> result.contestant().equals(contestant));
  }

  /** Returns the median over the rounds of a contestant's median latency, in microseconds. */
  double p50(String contestant) {
    return of(contestant).median(Round::p50);
  }

  /** Returns the median over the rounds of a contestant's calls each second. */
  double rate(String contestant) {
    return of(contestant).median(Round::callsPerSecond);
  }

  /** Compares the {@link #p50} of two contestants. */
  Beside p50(String mine, String rival) {
    return beside(mine, rival, Round::p50, 1);
  }

  /** Compares the {@link #rate} of two contestants. */
  Beside rate(String mine, String rival) {
    return beside(mine, rival, Round::callsPerSecond, 1);
  }

  /** Compares the payload of two contestants, in MiB each second. */
  Beside mebibytes(String mine, String rival) {
    return beside(mine, rival, Round::gigabytesPerSecond, 1e9 / (1 << 20));
  }

  private Beside beside(String mine, String rival, ToDoubleFunction<Round> figure, double unit) {
    List<Round> my = of(mine).rounds();
    List<Round> their = of(rival).rounds();
    double[] ratios =
        IntStream.range(0, Math.min(my.size(), their.size()))
            .mapToDouble(i -> figure.applyAsDouble(my.get(i)) / figure.applyAsDouble(their.get(i)))
            .toArray();
    double mineInAll = of(mine).median(figure) * unit;
    double theirsInAll = of(rival).median(figure) * unit;
    return new Beside(mineInAll, rival, theirsInAll, Result.median(ratios));
  }

  private Result of(String contestant) {
    return results.stream()
        .filter(result -> result.contestant().equals(contestant))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException(contestant + " did not take part"));
  }

  /** Returns the rival with the higher rate. */
  Rival faster(Rival one, Rival other) {
    return rate(one.title()) >= rate(other.title()) ? one : other;
  }
}
