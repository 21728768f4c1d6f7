package io.verbena.samples.spark;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.apache.spark.api.java.JavaPairRDD;

/**
 * Groups random rows by key in a cluster on this machine, by turns over Spark's client and over
 * sessions: {@code java ... ShuffleRace [MEGABYTES [ROUNDS [MAPPERS [PROPERTY=VALUE...]]]]}. The
 * first job of a cluster writes the files of the shuffle; the second one only reads them.
 */
public final class ShuffleRace {
  private static final int WARM_UP_MEGABYTES = 20;

  private ShuffleRace() {}

  /** What a program is asked for. */
  private record Wish(int megabytes, int rounds, int mappers, Map<String, String> settings) {
    static Wish of(String[] args) {
      Map<String, String> settings = new LinkedHashMap<>();
      for (int i = 3; i < args.length; i++) {
        String[] parts = args[i].split("=", 2);
        if (parts.length < 2) {
          throw new IllegalArgumentException("not PROPERTY=VALUE: " + args[i]);
        }
        settings.put(parts[0], parts[1]);
      }
      return new Wish(
          args.length > 0 ? Integer.parseInt(args[0]) : 200,
          args.length > 1 ? Integer.parseInt(args[1]) : 1,
          args.length > 2 ? Integer.parseInt(args[2]) : 8,
          settings);
    }
  }

  /** What both jobs of a cluster took. */
  private record Turn(Cluster.Cost whole, Cluster.Cost read) {}

  /** Runs the comparison. */
  public static void main(String[] args) throws Exception {
    Wish wish = Wish.of(args);
    if (!SparkHome.isHere()) {
      System.exit(SparkHome.restart(ShuffleRace.class, args));
    }
    System.out.printf(
        "groupByKey of %d MB from %d mappers, two executors that read no files of each other%n",
        wish.megabytes(), wish.mappers());
    List<Turn> client = new ArrayList<>();
    List<Turn> sessions = new ArrayList<>();
    for (int round = 0; round < wish.rounds(); round++) {
      client.add(turn(false, wish));
      sessions.add(turn(true, wish));
    }
    System.out.printf(
        Locale.ROOT,
        "Verbena / Spark's client, medians: time %.2f, CPU %.2f; reading alone: time %.2f, CPU"
            + " %.2f%n",
        ratio(sessions, client, turn -> turn.whole().time()),
        ratio(sessions, client, turn -> turn.whole().cpu()),
        ratio(sessions, client, turn -> turn.read().time()),
        ratio(sessions, client, turn -> turn.read().cpu()));
    System.exit(0);
  }

  private static Turn turn(boolean sessions, Wish wish) throws Exception {
    try (Cluster cluster = new Cluster(sessions, wish.settings())) {
      cluster.run(cluster.grouped(WARM_UP_MEGABYTES, wish.mappers()));
      JavaPairRDD<Integer, Long> job = cluster.grouped(wish.megabytes(), wish.mappers());
      Turn turn = new Turn(cluster.run(job), cluster.run(job));
      String name = sessions ? "Verbena" : "Spark's client";
      System.out.printf("%-15s whole job     %s%n", name, words(turn.whole()));
      System.out.printf("%-15s reading alone %s%n", name, words(turn.read()));
      cluster.paths().forEach(path -> System.out.printf("%-15s path: %s%n", name, path));
      return turn;
    }
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

  private static double ratio(List<Turn> of, List<Turn> to, Function<Turn, Duration> figure) {
    return median(of, figure) / median(to, figure);
  }

  private static double median(List<Turn> turns, Function<Turn, Duration> figure) {
    List<Double> sorted = new ArrayList<>();
    turns.forEach(turn -> sorted.add(seconds(figure.apply(turn))));
    Collections.sort(sorted);
    return sorted.get(sorted.size() / 2);
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1000.0;
  }
}
