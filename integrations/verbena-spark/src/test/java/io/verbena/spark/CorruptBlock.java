package io.verbena.spark;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.apache.spark.FetchFailed;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/**
 * A job that runs twice, and before the second time a byte of each block of a map output changes on
 * its executor's disk; over sessions, or with the argument {@code sort} over Spark's client.
 */
final class CorruptBlock {
  private CorruptBlock() {}

  public static void main(String[] args) throws Exception {
    SparkConf conf = Clusters.conf();
    if (args[0].equals("sort")) {
      conf.set("spark.shuffle.manager", "sort").remove("spark.plugins");
    }
    try (JavaSparkContext spark = new JavaSparkContext(conf)) {
      Queue<String> diagnoses = new ConcurrentLinkedQueue<>();
      spark
          .sc()
          .addSparkListener(
              new SparkListener() {
                @Override
                public void onTaskEnd(SparkListenerTaskEnd end) {
                  if (end.reason() instanceof FetchFailed failed
                      && !failed.bmAddress().executorId().equals(end.taskInfo().executorId())) {
                    diagnoses.add(failed.message());
                  }
                }
              });
      JavaPairRDD<Integer, Iterable<Integer>> grouped = Clusters.grouped(spark);
      System.out.println("before: " + Clusters.words(grouped.collect()));
      corruptOutput();
      System.out.println("after: " + Clusters.words(grouped.collect()));
      spark.sc().listenerBus().waitUntilEmpty();
      System.out.println("told of blocks of another executor: " + diagnoses);
    }
    System.exit(0);
  }

  /** Changes each block of one map output, wherever its reader runs. */
  private static void corruptOutput() throws IOException {
    Path data = files(".*/blockmgr-.*/shuffle_.*\\.data").getFirst();
    String folders = data.toString().replaceAll("/[^/]+/[^/]+$", "");
    String index = data.getFileName().toString().replace(".data", "\\.index");
    try (RandomAccessFile ends =
            new RandomAccessFile(files(folders + "/.*/" + index).getFirst().toFile(), "r");
        RandomAccessFile blocks = new RandomAccessFile(data.toFile(), "rw")) {
      long from = ends.readLong();
      while (ends.getFilePointer() < ends.length()) {
        long end = ends.readLong();
        blocks.seek((from + end) / 2);
        int now = blocks.read();
        blocks.seek((from + end) / 2);
        blocks.write(~now);
        from = end;
      }
    }
  }

  private static List<Path> files(String pattern) throws IOException {
    try (Stream<Path> all = Files.walk(Path.of(System.getProperty("java.io.tmpdir")))) {
      return all.filter(path -> path.toString().matches(pattern)).toList();
    }
  }
}
