package io.verbena.bench.report;

import io.verbena.bench.load.Load;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The result of a contestant under one load.
 *
 * @param path the path of the calls, with the reason
 * @param nanos the times of the calls of all rounds
 */
public record Result(
    String contestant, String path, Load load, List<Round> rounds, Histogram nanos) {
  /** Rounds of one state differ by less than this factor, on a busy machine too. */
  private static final double TWO_STATES = 2;

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

  /** Returns the least value of a figure over the rounds. */
  public double least(ToDoubleFunction<Round> figure) {
    return rounds.stream().mapToDouble(figure).min().orElse(0);
  }

  /** Returns the greatest value of a figure over the rounds. */
  public double most(ToDoubleFunction<Round> figure) {
    return rounds.stream().mapToDouble(figure).max().orElse(0);
  }

  /**
   * The two states of a contestant whose rounds fall into a fast and a slow group: no median stands
   * for both.
   *
   * @param fastRounds the number of fast rounds
   * @param fastP50 their median p50, in microseconds
   * @param slowRounds the number of slow rounds
   * @param slowP50 their median p50
   */
  public record States(int fastRounds, double fastP50, int slowRounds, double slowP50) {}

  /**
   * Returns the states of a contestant with two; else null. It has two if sorted by p50 a round
   * takes at least twice as long as the one before.
   */
  public @Nullable States states() {
    double[] sorted = rounds.stream().mapToDouble(Round::p50).sorted().toArray();
    int split = 0;
    double widest = TWO_STATES;
    for (int i = 1; i < sorted.length; i++) {
      if (sorted[i - 1] > 0 && sorted[i] / sorted[i - 1] >= widest) {
        widest = sorted[i] / sorted[i - 1];
        split = i;
      }
    }
    return split == 0
        ? null
        : new States(
            split,
            median(Arrays.copyOf(sorted, split)),
            sorted.length - split,
            median(Arrays.copyOfRange(sorted, split, sorted.length)));
  }

  /** Returns the median of some numbers. */
  public static double median(double... numbers) {
    double[] sorted = Arrays.stream(numbers).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
