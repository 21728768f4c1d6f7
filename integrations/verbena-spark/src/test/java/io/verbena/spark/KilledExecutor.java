package io.verbena.spark;

import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;

/** A job that runs twice, and before the second time one executor is killed with its blocks. */
final class KilledExecutor {
  private KilledExecutor() {}

  public static void main(String[] args) {
    try (JavaSparkContext spark =
        new JavaSparkContext(Clusters.conf().set("spark.verbena.patience", "1s"))) {
      JavaPairRDD<Integer, Iterable<Integer>> grouped = Clusters.grouped(spark);
      System.out.println("before: " + Clusters.words(grouped.collect()));
      System.out.println("paths: " + Clusters.paths(spark));
      ProcessHandle.current()
          .descendants()
          .findFirst()
          .orElseThrow(() -> new IllegalStateException("there is no executor"))
          .destroyForcibly();
      System.out.println("after: " + Clusters.words(grouped.collect()));
    }
    System.exit(0);
  }
}
