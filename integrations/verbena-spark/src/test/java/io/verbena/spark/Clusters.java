package io.verbena.spark;

import java.util.List;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** Clusters of two executors that the drivers of tests start, and rows that they shuffle. */
final class Clusters {
  static final int PARTS = 4;

  private static final int ROWS = 20_000;
  private static final int KEYS = 100;

  private Clusters() {}

  static SparkConf conf() {
    return new SparkConf()
        .setMaster("local-cluster[2,1,1024]")
        .setAppName("test")
        .set("spark.ui.enabled", "false")
        // No job begins on one executor alone: a part of no cores is there at once.
        .set("spark.cores.max", "2")
        .set("spark.scheduler.minRegisteredResourcesRatio", "1.0")
        .set("spark.scheduler.maxRegisteredResourcesWaitingTime", "2m")
        .set("spark.shuffle.manager", VerbenaShuffleManager.class.getName())
        .set("spark.plugins", VerbenaPlugin.class.getName())
        .set("spark.executor.extraClassPath", System.getProperty("java.class.path"))
        .set("spark.executor.extraJavaOptions", System.getProperty("verbena.spark.executor.args"))
        .set("spark.shuffle.readHostLocalDisk", "false");
  }

  static JavaPairRDD<Integer, Iterable<Integer>> grouped(JavaSparkContext spark) {
    return spark
        .parallelize(IntStream.range(0, ROWS).boxed().toList(), PARTS)
        .mapToPair(row -> new Tuple2<>(row % KEYS, row))
        .groupByKey(PARTS);
  }

  /** Returns how many keys came, and whether each row came once. */
  static String words(List<Tuple2<Integer, Iterable<Integer>>> groups) {
    int[] times = new int[ROWS];
    TreeMap<Integer, Integer> rowsOfKeys = new TreeMap<>();
    for (Tuple2<Integer, Iterable<Integer>> group : groups) {
      for (int row : group._2()) {
        times[row]++;
        rowsOfKeys.merge(group._1(), 1, Integer::sum);
      }
    }
    boolean once = IntStream.of(times).allMatch(count -> count == 1);
    return rowsOfKeys.size() + " keys, each row " + (once ? "once" : "NOT once");
  }

  /** Returns the paths by which executors fetched blocks. */
  static List<String> paths(JavaSparkContext spark) {
    return spark
        .parallelize(IntStream.range(0, 8).boxed().toList(), 8)
        .flatMap(any -> VerbenaPlugin.paths().values().iterator())
        .distinct()
        .collect();
  }
}
