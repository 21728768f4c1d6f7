package io.verbena.bench.report;

import java.util.Arrays;
import org.apache.commons.math3.stat.inference.MannWhitneyUTest;

/** The two-sided test of Mann and Whitney, whether two samples come from one source. */
final class MannWhitney {
  /** From this number of values on, the usual approximation is good enough. */
  private static final int MANY = 40;

  private MannWhitney() {}

  /** Returns the probability that samples of one source differ at least as much as these two. */
  static double chance(double[] one, double[] other) {
    return one.length + other.length >= MANY
        ? new MannWhitneyUTest().mannWhitneyUTest(one, other)
        : exact(one, other);
  }

  /** Counts the choices of the first sample's ranks, and those that are at least as extreme. */
  private static double exact(double[] one, double[] other) {
    int[] ranks = doubledRanks(one, other);
    int n = one.length;
    int all = Arrays.stream(ranks).sum();
    // Indexed by the number of chosen ranks and their sum.
    double[][] ways = new double[n + 1][all + 1];
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

  /** Returns twice the rank of each value among all values. Equal values share their rank. */
  private static int[] doubledRanks(double[] one, double[] other) {
    double[] all = Arrays.copyOf(one, one.length + other.length);
    System.arraycopy(other, 0, all, one.length, other.length);
    int[] ranks = new int[all.length];
    for (int i = 0; i < all.length; i++) {
      for (double value : all) {
        ranks[i] += value < all[i] ? 2 : value == all[i] ? 1 : 0;
      }
      ranks[i]++; // the value itself was counted once, but the first doubled rank is 2
    }
    return ranks;
  }
}
