package io.verbena.samples.spark;

import io.verbena.samples.spark.Cluster.Mover;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.apache.spark.api.java.JavaPairRDD;

/**
 * Groups random rows by key, or sorts them, in a cluster on this machine, by turns over Spark's
 * client and over sessions: {@code java ... ShuffleRace [sort|memory] [MEGABYTES [ROUNDS [MAPPERS
 * [PROPERTY=VALUE...]]]]}. The first job of a cluster writes the files of the shuffle; the second
 * one only reads them. With {@code memory} a third cluster fetches nothing, the heaps have their
 * full size from the start, so that the peaks differ by what is fetched outside of the heap, and
 * JVMs track the memory of buffers there, and log what collections leave of the heap.
 */
public final class ShuffleRace {
  private static final int WARM_UP_MEGABYTES = 20;
  private static final String JVM_OPTIONS = "spark.executor.extraJavaOptions";
  private static final String TRACKED =
      "-Xms1g -XX:+AlwaysPreTouch -XX:NativeMemoryTracking=summary";

  private ShuffleRace() {}

  /** What a program is asked for. */
  private record Wish(
      String what, int megabytes, int rounds, int mappers, Map<String, String> settings) {
    static Wish of(String[] all) {
      boolean named = all.length > 0 && List.of("sort", "memory").contains(all[0]);
      String[] args = named ? Arrays.copyOfRange(all, 1, all.length) : all;
      Map<String, String> settings = new LinkedHashMap<>();
      for (int i = 3; i < args.length; i++) {
        String[] parts = args[i].split("=", 2);
        if (parts.length < 2) {
          throw new IllegalArgumentException("not PROPERTY=VALUE: " + args[i]);
        }
        settings.put(parts[0], parts[1]);
      }
      if (named && all[0].equals("memory")) {
        settings.merge(JVM_OPTIONS, TRACKED, (own, more) -> own + " " + more);
        settings.merge(JVM_OPTIONS, Cluster.logsCollections(), (own, more) -> own + " " + more);
      }
      return new Wish(
          named ? all[0] : "group",
          args.length > 0 ? Integer.parseInt(args[0]) : 200,
          args.length > 1 ? Integer.parseInt(args[1]) : 1,
          args.length > 2 ? Integer.parseInt(args[2]) : 8,
          settings);
    }

    JavaPairRDD<Integer, Long> job(Cluster cluster, int size) {
      return what.equals("sort") ? cluster.sorted(size, mappers) : cluster.grouped(size, mappers);
    }
  }

  /** What both jobs of a cluster took. */
  private record Turn(Cluster.Cost whole, Cluster.Cost read) {
    double peak() {
      return Math.max(whole.peakBytes(), read.peakBytes()) / 1048576.0;
    }

    double direct() {
      return read.directBytes() / 1048576.0;
    }

    double heap() {
      return read.heapBytes() / 1048576.0;
    }
  }

  /** Runs the comparison. */
  public static void main(String[] args) throws Exception {
    Wish wish = Wish.of(args);
    if (!SparkHome.isHere()) {
      System.exit(SparkHome.restart(ShuffleRace.class, args));
    }
    System.out.printf(
        "%s of %d MB from %d mappers, two executors that read no files of each other%n",
        wish.what().equals("sort") ? "sortByKey" : "groupByKey", wish.megabytes(), wish.mappers());
    List<Turn> client = new ArrayList<>();
    List<Turn> sessions = new ArrayList<>();
    List<Turn> files = new ArrayList<>();
    for (int round = 0; round < wish.rounds(); round++) {
      if (wish.what().equals("memory")) {
        files.add(turn(Mover.FILES, wish));
      }
      client.add(turn(Mover.CLIENT, wish));
      sessions.add(turn(Mover.SESSIONS, wish));
    }
    if (!files.isEmpty()) {
      printPeaks("memory", files, client, sessions, Turn::peak);
      printPeaks("buffers outside of the heap", files, client, sessions, Turn::direct);
      printPeaks("heap that a collection left", files, client, sessions, Turn::heap);
    }
    System.out.printf(
        Locale.ROOT,
        "Verbena / Spark's client, medians of the rounds: time %.2f, CPU %.2f; reading alone: time"
            + " %.2f, CPU %.2f%n",
        ratio(sessions, client, turn -> turn.whole().time()),
        ratio(sessions, client, turn -> turn.whole().cpu()),
        ratio(sessions, client, turn -> turn.read().time()),
        ratio(sessions, client, turn -> turn.read().cpu()));
    System.exit(0);
  }

  private static Turn turn(Mover mover, Wish wish) throws Exception {
    try (Cluster cluster = new Cluster(mover, wish.settings())) {
      cluster.run(wish.job(cluster, WARM_UP_MEGABYTES));
      JavaPairRDD<Integer, Long> job = wish.job(cluster, wish.megabytes());
      Turn turn = new Turn(cluster.run(job), cluster.run(job));
      System.out.printf("%-15s whole job     %s%n", mover, words(turn.whole()));
      System.out.printf("%-15s reading alone %s%n", mover, words(turn.read()));
      cluster.paths().forEach(path -> System.out.printf("%-15s path: %s%n", mover, path));
      return turn;
    }
  }

  private static void printPeaks(
      String of,
      List<Turn> files,
      List<Turn> client,
      List<Turn> sessions,
      ToDoubleFunction<Turn> peak) {
    double spark = median(files, peak);
    System.out.printf(
        Locale.ROOT,
        "%s: peak of both executors beyond that without fetches (%.0f MiB), medians: Verbena %.0f"
            + " MiB, Spark's client %.0f MiB%n",
        of,
        spark,
        median(sessions, peak) - spark,
        median(client, peak) - spark);
  }

  private static String words(Cluster.Cost cost) {
    return String.format(
        Locale.ROOT,
        "%6.2f s, CPU of executors %6.2f s, %,d rows, %,d remote bytes, %.2f s waited for blocks,"
            + " peak %,d MiB",
        seconds(cost.time()),
        seconds(cost.cpu()),
        cost.rows(),
        cost.remoteBytes(),
        seconds(cost.fetchWait()),
        cost.peakBytes() >> 20);
  }

  /** Returns the median of each round's ratio, because a host may change its speed meanwhile. */
  private static double ratio(List<Turn> of, List<Turn> to, Function<Turn, Duration> figure) {
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < of.size(); round++) {
      ratios.add(seconds(figure.apply(of.get(round))) / seconds(figure.apply(to.get(round))));
    }
    return median(ratios, ratio -> ratio);
  }

  private static <T> double median(List<T> all, ToDoubleFunction<T> figure) {
    List<Double> sorted = new ArrayList<>();
    all.forEach(one -> sorted.add(figure.applyAsDouble(one)));
    Collections.sort(sorted);
    return sorted.get(sorted.size() / 2);
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1000.0;
  }
}
