package io.verbena.spark;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.verbena.cli.Main;
import io.verbena.testkit.JavaProcess;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.executor.ShuffleReadMetrics;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import scala.Tuple2;

/** A job of which Spark's metrics tell, and executors at which 'verbena stat' looks. */
final class WatchedCluster {
  private static final Duration STOPPED = Duration.ofSeconds(3);

  private WatchedCluster() {}

  /** What Spark counts of all tasks. */
  private static final class Counts extends SparkListener {
    private final AtomicLong written = new AtomicLong();
    private final AtomicLong remote = new AtomicLong();
    private final AtomicLong local = new AtomicLong();
    private final AtomicLong remoteBlocks = new AtomicLong();
    private final AtomicLong blocks = new AtomicLong();
    private final AtomicLong waitedMillis = new AtomicLong();

    @Override
    public void onTaskEnd(SparkListenerTaskEnd end) {
      TaskMetrics task = end.taskMetrics();
      ShuffleReadMetrics read = task.shuffleReadMetrics();
      written.addAndGet(task.shuffleWriteMetrics().bytesWritten());
      remote.addAndGet(read.remoteBytesRead());
      local.addAndGet(read.localBytesRead());
      remoteBlocks.addAndGet(read.remoteBlocksFetched());
      blocks.addAndGet(read.totalBlocksFetched());
      waitedMillis.addAndGet(read.fetchWaitTime());
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%d bytes written, %d read, of these remote %d; %d blocks, %s",
          written.get(),
          remote.get() + local.get(),
          remote.get(),
          blocks.get(),
          remoteBlocks.get() > 0 ? "remote ones, too" : "none of them remote");
    }
  }

  public static void main(String[] args) throws Exception {
    SparkConf conf = Clusters.conf().set("spark.ui.enabled", "true").set("spark.ui.port", "0");
    try (JavaSparkContext spark = new JavaSparkContext(conf)) {
      Counts counts = new Counts();
      spark.sc().addSparkListener(counts);
      JavaPairRDD<Integer, Iterable<Integer>> grouped = Clusters.grouped(spark);
      System.out.println("at first: " + Clusters.words(grouped.collect()));
      spark.sc().listenerBus().waitUntilEmpty();
      System.out.println("counts: " + counts);
      System.out.println("interface: " + stagesOfInterface(spark));

      List<ProcessHandle> executors = ProcessHandle.current().descendants().toList();
      for (ProcessHandle executor : executors) {
        System.out.println(
            "stat of an executor: "
                + JavaProcess.of(Main.class, "stat", Long.toString(executor.pid()))
                    .start()
                    .end(Duration.ofMinutes(1))
                    .out());
      }
      counts.waitedMillis.set(0);
      System.out.println("at last: " + Clusters.words(whileStopped(executors.getFirst(), grouped)));
      spark.sc().listenerBus().waitUntilEmpty();
      System.out.println("waited: " + counts.waitedMillis + " ms");
    }
    System.exit(0);
  }

  /** Returns what Spark's web interface tells of stages. */
  private static String stagesOfInterface(JavaSparkContext spark) throws IOException {
    URI stages =
        URI.create(
            spark.sc().uiWebUrl().get()
                + "/api/v1/applications/"
                + spark.sc().applicationId()
                + "/stages");
    try (InputStream in = stages.toURL().openStream()) {
      return new String(in.readAllBytes(), UTF_8).replaceAll("\\s+", "");
    }
  }

  /** Runs a job while an executor has stopped. */
  private static List<Tuple2<Integer, Iterable<Integer>>> whileStopped(
      ProcessHandle executor, JavaPairRDD<Integer, Iterable<Integer>> job) throws Exception {
    signal("-STOP", executor);
    JavaFutureAction<List<Tuple2<Integer, Iterable<Integer>>>> running = job.collectAsync();
    try {
      running.get(STOPPED.toMillis(), TimeUnit.MILLISECONDS);
      throw new AssertionError("the job needs the blocks of an executor that has stopped");
    } catch (TimeoutException e) {
      signal("-CONT", executor);
      return running.get();
    }
  }

  private static void signal(String name, ProcessHandle process)
      throws IOException, InterruptedException {
    int status = new ProcessBuilder("kill", name, Long.toString(process.pid())).start().waitFor();
    if (status != 0) {
      throw new IOException("the process takes no signal");
    }
  }
}
