package io.verbena.spark;

import io.netty.util.internal.PlatformDependent;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import org.apache.spark.SparkConf;

/**
 * The settings that a Spark application may give.
 *
 * @param bindAddress {@code spark.verbena.bindAddress}: where an executor listens; its Spark
 *     hostname by default
 * @param port {@code spark.verbena.port}: 0, the default, takes a free one
 * @param portRetries {@code spark.port.maxRetries}: how many ports after that are tried, as for
 *     Spark's own ports, since a host may have several executors
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
    int portRetries,
    long memoryBytes,
    int requests,
    long requestBytes,
    Duration patience,
    Duration stall) {
  private static final long LEAST_MEMORY = 64L << 20;

  /** Spark's iterator makes as many requests of what it may ask ahead. */
  private static final int REQUESTS_AHEAD = 5;

  private static final String PREFIX = "spark.verbena.";
  private static final Set<String> NAMES =
      Set.of("bindAddress", "port", "memory", "patience", "stall");
  private static final int MOST_PORT = 0xffff;
  private static final long LEAST_MEMORY_GIVEN = 1 << 20;
  private static final long LEAST_MILLIS = 10;

  /**
   * Reads the settings of an application.
   *
   * @throws IllegalArgumentException if one is out of range, or none of Verbena's; the message
   *     names it
   */
  static VerbenaSettings of(SparkConf conf, String hostname) {
    long inFlight = inFlight(conf);
    int cores = conf.getInt("spark.executor.cores", Runtime.getRuntime().availableProcessors());
    long enough =
        Math.min(
            Math.max(LEAST_MEMORY, 3 * inFlight * cores), PlatformDependent.maxDirectMemory() / 2);
    for (var given : conf.getAllWithPrefix(PREFIX)) {
      if (!NAMES.contains(given._1())) {
        throw new IllegalArgumentException(
            "%s%s is no setting of Verbena's; it has %s"
                .formatted(PREFIX, given._1(), new TreeSet<>(NAMES)));
      }
    }
    String bindAddress = conf.get("spark.verbena.bindAddress", hostname);
    boolean isGiven = conf.contains("spark.verbena.bindAddress");
    check("bindAddress", !isGiven || !bindAddress.isBlank(), "a host", "empty");
    int port = conf.getInt("spark.verbena.port", 0);
    check("port", port >= 0 && port <= MOST_PORT, "0 to 65535", port);
    long memory = conf.getSizeAsBytes("spark.verbena.memory", enough);
    check("memory", memory >= LEAST_MEMORY_GIVEN, "at least 1m", memory + " bytes");
    long patience = conf.getTimeAsMs("spark.verbena.patience", "5s");
    check("patience", patience >= LEAST_MILLIS, "at least 10ms", patience + " ms");
    long stall = conf.getTimeAsMs("spark.verbena.stall", conf.get("spark.network.timeout", "120s"));
    check("stall", stall >= LEAST_MILLIS, "at least 10ms", stall + " ms");
    return new VerbenaSettings(
        bindAddress,
        port,
        conf.getInt("spark.port.maxRetries", 16),
        memory,
        REQUESTS_AHEAD * cores,
        inFlight / REQUESTS_AHEAD,
        Duration.ofMillis(patience),
        Duration.ofMillis(stall));
  }

  private static void check(String name, boolean isValid, String range, Object given) {
    if (!isValid) {
      throw new IllegalArgumentException(
          "%s%s must be %s, not %s".formatted(PREFIX, name, range, given));
    }
  }

  /** Returns the bytes for which a task asks ahead. */
  static long inFlight(SparkConf conf) {
    return conf.getSizeAsMb("spark.reducer.maxSizeInFlight", "48m") << 20;
  }
}
