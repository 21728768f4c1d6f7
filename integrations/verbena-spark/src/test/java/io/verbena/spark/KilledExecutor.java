package io.verbena.spark;

import java.util.List;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** A job that runs twice, and before the second time one executor is killed with its blocks. */
final class KilledExecutor {
  private static final int ROWS = 20_000;
  private static final int KEYS = 100;

  private KilledExecutor() {}

  public static void main(String[] args) {
    SparkConf conf =
        new SparkConf()
            .setMaster("local-cluster[2,1,1024]")
            .setAppName("killed executor")
            .set("spark.ui.enabled", "false")
            .set("spark.shuffle.manager", VerbenaShuffleManager.class.getName())
            .set("spark.plugins", VerbenaPlugin.class.getName())
            .set("spark.executor.extraClassPath", System.getProperty("java.class.path"))
            .set("spark.executor.extraJavaOptions", SparkProcess.QUICK)
            .set("spark.verbena.patience", "1s")
            .set("spark.shuffle.readHostLocalDisk", "false");
    try (JavaSparkContext spark = new JavaSparkContext(conf)) {
      JavaPairRDD<Integer, Iterable<Integer>> grouped =
          spark
              .parallelize(IntStream.range(0, ROWS).boxed().toList(), 4)
              .mapToPair(row -> new Tuple2<>(row % KEYS, row))
              .groupByKey(4);
      tell("before", grouped.collect());
      List<String> paths =
          spark
              .parallelize(IntStream.range(0, 8).boxed().toList(), 8)
              .flatMap(any -> VerbenaPlugin.paths().values().iterator())
              .distinct()
              .collect();
      System.out.println("paths: " + paths);
      ProcessHandle.current()
          .descendants()
          .findFirst()
          .orElseThrow(() -> new IllegalStateException("there is no executor"))
          .destroyForcibly();
      tell("after", grouped.collect());
    }
    System.exit(0);
  }

  private static void tell(String when, List<Tuple2<Integer, Iterable<Integer>>> groups) {
    int[] times = new int[ROWS];
    TreeMap<Integer, Integer> rowsOfKeys = new TreeMap<>();
    for (Tuple2<Integer, Iterable<Integer>> group : groups) {
      for (int row : group._2()) {
        times[row]++;
        rowsOfKeys.merge(group._1(), 1, Integer::sum);
      }
    }
    boolean once = IntStream.of(times).allMatch(count -> count == 1);
    System.out.printf(
        "%s: %d keys, each row %s%n", when, rowsOfKeys.size(), once ? "once" : "NOT once");
  }
}
