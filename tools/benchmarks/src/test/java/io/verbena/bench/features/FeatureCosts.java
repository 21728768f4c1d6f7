package io.verbena.bench.features;

import io.verbena.bench.report.Tables;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The time of calls with each feature, measured by turns in one process. */
public final class FeatureCosts {
  private static final int CALLS_A_ROUND = 2_000;

  private FeatureCosts() {}

  private static final class Rounds {
    final Feature feature;
    final FeatureWorld world;
    final List<Double> nanos = new ArrayList<>();
    long bytes = Long.MAX_VALUE;

    Rounds(Feature feature) {
      this.feature = feature;
      this.world = new FeatureWorld(feature);
    }

    void next() {
      FeatureWorld.Cost cost = world.round(CALLS_A_ROUND);
      nanos.add(cost.nanos());
      bytes = Math.min(bytes, cost.bytes()); // compiling and profiling allocate as well
    }

    double median() {
      double[] sorted = nanos.stream().mapToDouble(Double::doubleValue).sorted().toArray();
      return sorted[sorted.length / 2];
    }
  }

  /**
   * Measures each in turn, and returns a table, the first one being what others are compared with.
   *
   * @param warmup rounds of each that do not count
   * @param rounds of each that count, at least 1
   */
  public static String measure(List<Feature> features, int warmup, int rounds) {
    List<Rounds> all = new ArrayList<>();
    try {
      for (Feature feature : features) {
        all.add(new Rounds(feature));
      }
      for (int i = 0; i < warmup + rounds; i++) {
        if (i == warmup) {
          all.forEach(one -> one.nanos.clear());
        }
        all.forEach(Rounds::next);
      }
      return table(all);
    } finally {
      all.forEach(one -> one.world.close());
    }
  }

  private static String table(List<Rounds> all) {
    Rounds plain = all.getFirst();
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("feature", "ns", "of plain", "heap bytes", "more"));
    for (Rounds one : all) {
      boolean comparable = one.feature.items() == 0;
      rows.add(
          Arrays.asList(
              one.feature.title(),
              String.format(Locale.ROOT, "%,.0f", one.median()),
              comparable ? String.format(Locale.ROOT, "%.2f", one.median() / plain.median()) : "",
              Long.toString(one.bytes),
              comparable ? Long.toString(one.bytes - plain.bytes) : ""));
    }
    return Tables.table(rows);
  }
}
