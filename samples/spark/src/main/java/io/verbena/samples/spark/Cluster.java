package io.verbena.samples.spark;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.verbena.spark.VerbenaPlugin;
import io.verbena.spark.VerbenaShuffleManager;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.executor.ShuffleReadMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import scala.Tuple2;

/** A cluster of two executors on this machine, whose blocks go over Spark's client or sessions. */
final class Cluster implements AutoCloseable {
  private static final int RECORD_BYTES = 1000;
  private static final int REDUCERS = 8;
  private static final Pattern OTHER =
      Pattern.compile(
          " Other \\(.*\\R\\s*\\(malloc=(\\d+)KB[^)]*\\) \\((?:peak=(\\d+)KB|at peak)[^)]*\\)");

  private static final Pattern LEFT = Pattern.compile("->(\\d+)M\\(");

  private final JavaSparkContext spark;
  private final AtomicLong remoteBytes = new AtomicLong();
  private final AtomicLong fetchWaitMillis = new AtomicLong();

  /**
   * What a job took.
   *
   * @param rows the number of rows that arrived
   * @param cpu of all executors
   * @param fetchWait the time that tasks waited for blocks
   * @param peakBytes the most resident memory of all executors, each at its own time
   * @param directBytes the most memory of their buffers outside of the heap, likewise, since their
   *     start; 0 if their JVMs do not track it
   * @param heapBytes the most heap that a collection left, likewise; 0 if their JVMs do not log it
   */
  record Cost(
      long rows,
      Duration time,
      Duration cpu,
      long remoteBytes,
      Duration fetchWait,
      long peakBytes,
      long directBytes,
      long heapBytes) {}

  /** Who moves the blocks. */
  enum Mover {
    CLIENT("Spark's client"),
    SESSIONS("Verbena"),
    /** Nobody: executors of one host can read each other's files. */
    FILES("no fetches");

    private final String words;

    Mover(String words) {
      this.words = words;
    }

    @Override
    public String toString() {
      return words;
    }
  }

  /** Starts a cluster. {@code settings} are properties of Spark that the user adds. */
  Cluster(Mover mover, Map<String, String> settings) {
    SparkConf conf =
        new SparkConf()
            .setMaster("local-cluster[2,1,1024]")
            .setAppName("shuffle race")
            .set("spark.ui.enabled", "false")
            // No job begins on one executor alone: a part of no cores is there at once.
            .set("spark.cores.max", "2")
            .set("spark.executor.cores", "1")
            .set("spark.scheduler.minRegisteredResourcesRatio", "1.0")
            .set("spark.executor.extraClassPath", System.getProperty("java.class.path"))
            .set("spark.shuffle.readHostLocalDisk", Boolean.toString(mover == Mover.FILES))
            // Random bytes do not become shorter.
            .set("spark.shuffle.compress", "false")
            .set("spark.serializer", "org.apache.spark.serializer.KryoSerializer");
    if (mover == Mover.SESSIONS) {
      conf.set("spark.shuffle.manager", VerbenaShuffleManager.class.getName())
          .set("spark.plugins", VerbenaPlugin.class.getName());
    }
    settings.forEach(conf::set);
    spark = new JavaSparkContext(conf);
    spark.setLogLevel("ERROR");
    spark
        .sc()
        .addSparkListener(
            new SparkListener() {
              @Override
              public void onTaskEnd(SparkListenerTaskEnd end) {
                if (end.taskMetrics() != null) {
                  ShuffleReadMetrics read = end.taskMetrics().shuffleReadMetrics();
                  remoteBytes.addAndGet(read.remoteBytesRead());
                  fetchWaitMillis.addAndGet(read.fetchWaitTime());
                }
              }
            });
  }

  /** Returns rows of random bytes, grouped by a random key. Its files are kept for each job. */
  JavaPairRDD<Integer, Long> grouped(int megabytes, int mappers) {
    return rows(megabytes, mappers).groupByKey(REDUCERS).mapValues(Cluster::count);
  }

  /** Returns the same rows, sorted by their key. */
  JavaPairRDD<Integer, Long> sorted(int megabytes, int mappers) {
    return rows(megabytes, mappers).sortByKey(true, REDUCERS).mapValues(row -> 1L);
  }

  private JavaPairRDD<Integer, byte[]> rows(int megabytes, int mappers) {
    int rows = (int) ((long) megabytes * 1_000_000 / RECORD_BYTES / mappers);
    return spark
        .parallelize(IntStream.range(0, mappers).boxed().toList(), mappers)
        .flatMapToPair(mapper -> new Rows(mapper, rows));
  }

  private static Long count(Iterable<byte[]> values) {
    long count = 0;
    for (byte[] _ : values) {
      count++;
    }
    return count;
  }

  /** Runs a job. */
  Cost run(JavaPairRDD<Integer, Long> job)
      throws IOException, InterruptedException, TimeoutException {
    remoteBytes.set(0);
    fetchWaitMillis.set(0);
    Duration cpu = cpu();
    forgetPeaks();
    long start = System.nanoTime();
    long rows = job.values().fold(0L, Long::sum);
    Duration time = Duration.ofNanos(System.nanoTime() - start);
    spark.sc().listenerBus().waitUntilEmpty();
    return new Cost(
        rows,
        time,
        cpu().minus(cpu),
        remoteBytes.get(),
        Duration.ofMillis(fetchWaitMillis.get()),
        peakBytes(),
        directBytes(),
        heapBytes());
  }

  /** Returns the paths by which executors fetched blocks; empty over Spark's client. */
  List<String> paths() {
    return List.copyOf(
        new TreeSet<>(
            spark
                .parallelize(IntStream.range(0, 16).boxed().toList(), 16)
                .flatMap(any -> VerbenaPlugin.paths().values().iterator())
                .collect()));
  }

  /** Returns the processor time of all executors. */
  private static Duration cpu() {
    return ProcessHandle.current()
        .descendants()
        .map(process -> process.info().totalCpuDuration().orElse(Duration.ZERO))
        .reduce(Duration.ZERO, Duration::plus);
  }

  /** Has the kernel count the peaks of memory anew (proc_pid_clear_refs(5)). */
  private static void forgetPeaks() throws IOException {
    for (Path process : processes()) {
      try {
        Files.writeString(process.resolve("clear_refs"), "5");
      } catch (NoSuchFileException e) {
        // A helper of Spark's, which has ended.
      }
    }
  }

  private static long peakBytes() throws IOException {
    long kilobytes = 0;
    for (Path process : processes()) {
      try {
        for (String line : Files.readAllLines(process.resolve("status"))) {
          if (line.startsWith("VmHWM:")) {
            kilobytes += Long.parseLong(line.replaceAll("\\D", ""));
          }
        }
      } catch (NoSuchFileException e) {
        // As above.
      }
    }
    return kilobytes << 10;
  }

  /** Asks each JVM for the peak of what it tracks as "Other", which is such buffers. */
  private static long directBytes() throws IOException {
    long kilobytes = 0;
    for (ProcessHandle process : ProcessHandle.current().descendants().toList()) {
      Process jcmd =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                  Long.toString(process.pid()),
                  "VM.native_memory")
              .redirectErrorStream(true)
              .start();
      Matcher other = OTHER.matcher(new String(jcmd.getInputStream().readAllBytes(), UTF_8));
      if (other.find()) {
        String peak = other.group(2);
        kilobytes += Long.parseLong(peak == null ? other.group(1) : peak);
      }
    }
    return kilobytes << 10;
  }

  /** Returns what has JVMs log each collection for {@link #heapBytes}. */
  static String logsCollections() {
    return "-Xlog:gc:file=" + collections("%p");
  }

  private static Path collections(Object process) {
    return Path.of(System.getProperty("java.io.tmpdir"), "collections-" + process + ".log");
  }

  private static long heapBytes() throws IOException {
    long megabytes = 0;
    for (ProcessHandle process : ProcessHandle.current().descendants().toList()) {
      Path log = collections(process.pid());
      if (Files.exists(log)) {
        megabytes +=
            LEFT.matcher(Files.readString(log))
                .results()
                .mapToLong(collection -> Long.parseLong(collection.group(1)))
                .max()
                .orElse(0);
      }
    }
    return megabytes << 20;
  }

  private static List<Path> processes() {
    return ProcessHandle.current()
        .descendants()
        .map(process -> Path.of("/proc", Long.toString(process.pid())))
        .toList();
  }

  /** Returns when the executors have ended, which would take part in the next cluster's costs. */
  @Override
  public void close() {
    List<ProcessHandle> executors = ProcessHandle.current().descendants().toList();
    spark.close();
    for (ProcessHandle executor : executors) {
      executor.onExit().orTimeout(1, TimeUnit.MINUTES).join();
    }
  }

  /** The rows of one mapper, by their random keys. */
  private static final class Rows implements java.util.Iterator<Tuple2<Integer, byte[]>> {
    private static final int KEYS = 10_000;

    private final Random random;
    private final byte[] bytes = new byte[RECORD_BYTES];
    private int left;

    Rows(int mapper, int rows) {
      random = new Random(mapper);
      random.nextBytes(bytes);
      left = rows;
    }

    @Override
    public boolean hasNext() {
      return left > 0;
    }

    @Override
    public Tuple2<Integer, byte[]> next() {
      left--;
      return new Tuple2<>(random.nextInt(KEYS), bytes);
    }
  }
}
