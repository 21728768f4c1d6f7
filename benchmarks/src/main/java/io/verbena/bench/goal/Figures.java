package io.verbena.bench.goal;

import io.verbena.bench.report.Result;
import io.verbena.bench.report.Round;
import io.verbena.bench.rival.Rival;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Results of one load, by contestant. */
record Figures(List<Result> results) {
  boolean has(String contestant) {
    return results.stream().anyMatch(result -> result.contestant().equals(contestant));
  }

  /** Returns the median over the rounds of a contestant's median latency, in microseconds. */
  double p50(String contestant) {
    return median(contestant, Round::p50);
  }

  /** Returns the median over the rounds of a contestant's calls each second. */
  double rate(String contestant) {
    return median(contestant, Round::callsPerSecond);
  }

  /** Returns the payload moved each second, in MiB. */
  double mebibytes(String contestant) {
    return median(contestant, Round::gigabytesPerSecond) * 1e9 / (1 << 20);
  }

  private double median(String contestant, ToDoubleFunction<Round> figure) {
    return results.stream()
        .filter(result -> result.contestant().equals(contestant))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException(contestant + " did not take part"))
        .median(figure);
  }

  /** Returns the one with the higher rate. */
  Rival faster(Rival one, Rival other) {
    return rate(one.title()) >= rate(other.title()) ? one : other;
  }
}
