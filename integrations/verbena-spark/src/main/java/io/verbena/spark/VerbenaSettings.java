package io.verbena.spark;

import io.netty.util.internal.PlatformDependent;
import java.time.Duration;
import org.apache.spark.SparkConf;

/**
 * The settings that a Spark application may give.
 *
 * @param bindAddress {@code spark.verbena.bindAddress}: where an executor listens; its Spark
 *     hostname by default
 * @param port {@code spark.verbena.port}: 0, the default, takes a free one
 * @param memoryBytes {@code spark.verbena.memory}: the most memory of an executor for blocks. By
 *     default three times what the executor's tasks may have in flight ({@code
 *     spark.reducer.maxSizeInFlight} for each core), at least 64 MiB, and at most half of the
 *     direct memory that the JVM has
 * @param requests how many fetches do not wait: those for which a task asks ahead. Others wait
 *     while the blocks on their way or unconsumed have as many bytes as these mostly have, and go
 *     to a temporary file if that takes long
 * @param requestBytes the bytes for which Spark asks at a time, mostly
 * @param patience {@code spark.verbena.patience}: how long a lost connection may take to come back;
 *     5 s by default. Then the fetch fails, and Spark computes the blocks again
 * @param stall {@code spark.verbena.stall}: how long a fetch may make no progress; by default
 *     {@code spark.network.timeout}
 */
record VerbenaSettings(
    String bindAddress,
    int port,
    long memoryBytes,
    int requests,
    long requestBytes,
    Duration patience,
    Duration stall) {
  private static final long LEAST_MEMORY = 64L << 20;

  /** Spark's iterator makes as many requests of what it may ask ahead. */
  private static final int REQUESTS_AHEAD = 5;

  static VerbenaSettings of(SparkConf conf, String hostname) {
    long inFlight = inFlight(conf);
    int cores = conf.getInt("spark.executor.cores", Runtime.getRuntime().availableProcessors());
    long enough =
        Math.min(
            Math.max(LEAST_MEMORY, 3 * inFlight * cores), PlatformDependent.maxDirectMemory() / 2);
    return new VerbenaSettings(
        conf.get("spark.verbena.bindAddress", hostname),
        conf.getInt("spark.verbena.port", 0),
        conf.getSizeAsBytes("spark.verbena.memory", enough),
        REQUESTS_AHEAD * cores,
        bytesAhead(conf) / REQUESTS_AHEAD,
        Duration.ofMillis(conf.getTimeAsMs("spark.verbena.patience", "5s")),
        Duration.ofMillis(
            conf.getTimeAsMs("spark.verbena.stall", conf.get("spark.network.timeout", "120s"))));
  }

  private static long inFlight(SparkConf conf) {
    return conf.getSizeAsMb("spark.reducer.maxSizeInFlight", "48m") << 20;
  }

  /**
   * Returns the bytes for which a task asks ahead. A request for half of the bytes takes half of
   * the memory, and moves them as fast.
   */
  static long bytesAhead(SparkConf conf) {
    return inFlight(conf) / 2;
  }
}
