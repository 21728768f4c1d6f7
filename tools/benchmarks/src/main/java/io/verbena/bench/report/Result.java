package io.verbena.bench.report;

import io.verbena.bench.load.Load;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/**
 * The result of a contestant under one load.
 *
 * @param path the path of the calls, with the reason
 * @param nanos the times of the calls of all rounds
 */
public record Result(
    String contestant, String path, Load load, List<Round> rounds, Histogram nanos) {
  /** Checks that no value is missing, because results may come from a file. */
  public Result {
    Objects.requireNonNull(contestant, "a result has no contestant");
    Objects.requireNonNull(path, "a result has no path");
    Objects.requireNonNull(load, "a result has no load");
    Objects.requireNonNull(nanos, "a result has no times");
    if (rounds.isEmpty()) {
      throw new IllegalArgumentException("a result has no rounds");
    }
  }

  /** Returns whether an external program reported figures in place of the time of each call. */
  public boolean isTold() {
    return nanos.getTotalCount() == 0;
  }

  /** Returns the median of a figure over the rounds. */
  public double median(ToDoubleFunction<Round> figure) {
    return median(rounds.stream().mapToDouble(figure).toArray());
  }

  /** Returns the longest time of a call in all rounds, in microseconds. */
  public double max() {
    return rounds.stream().mapToDouble(Round::max).max().orElse(0);
  }

  /** Returns the median of some numbers. */
  public static double median(double... numbers) {
    double[] sorted = Arrays.stream(numbers).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
