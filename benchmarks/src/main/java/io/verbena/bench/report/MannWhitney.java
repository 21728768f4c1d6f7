package io.verbena.bench.report;

import java.util.Arrays;
import org.apache.commons.math3.stat.inference.MannWhitneyUTest;

/** Mann and Whitney's test, two-sided: whether two samples would hardly come from one source. */
final class MannWhitney {
  /** With so many values in all its usual approximation is as good; with few it tells too much. */
  private static final int MANY = 40;

  private MannWhitney() {}

  /** Returns the chance that samples of one source differ as much as these two, or more. */
  static double chance(double[] one, double[] other) {
    return one.length + other.length >= MANY
        ? new MannWhitneyUTest().mannWhitneyUTest(one, other)
        : exact(one, other);
  }

  /** Counts the ways to choose the first sample's ranks, and those that are as far off. */
  private static double exact(double[] one, double[] other) {
    int[] ranks = doubledRanks(one, other);
    int n = one.length;
    int all = Arrays.stream(ranks).sum();
    double[][] ways = new double[n + 1][all + 1]; // by how many are chosen, and their sum
    ways[0][0] = 1;
    for (int rank : ranks) {
      for (int chosen = n; chosen > 0; chosen--) {
        for (int sum = all; sum >= rank; sum--) {
          ways[chosen][sum] += ways[chosen - 1][sum - rank];
        }
      }
    }
    double expected = (double) all * n / ranks.length;
    double off = Math.abs(Arrays.stream(ranks).limit(n).sum() - expected);
    double asFar = 0;
    for (int sum = 0; sum <= all; sum++) {
      asFar += Math.abs(sum - expected) >= off ? ways[n][sum] : 0;
    }
    return asFar / Arrays.stream(ways[n]).sum();
  }

  /** Returns twice the rank of each value among all: equal ones share theirs. */
  private static int[] doubledRanks(double[] one, double[] other) {
    double[] all = Arrays.copyOf(one, one.length + other.length);
    System.arraycopy(other, 0, all, one.length, other.length);
    int[] ranks = new int[all.length];
    for (int i = 0; i < all.length; i++) {
      for (double value : all) {
        ranks[i] += value < all[i] ? 2 : value == all[i] ? 1 : 0;
      }
      ranks[i]++; // itself was counted once: from 2, for the first
    }
    return ranks;
  }
}
