package io.verbena.bench;

import io.verbena.tcp.TcpLinkProvider;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * Round trips of 64 bytes over loopback TCP between two threads: Verbena's link and a typed call
 * beside raw Netty, by turns, in one run. What is printed is the median of the turns; a latency is
 * that of the whole round trip.
 */
public final class EchoBenchmark {
  private static final int TURNS = 5;
  private static final int[] OUTSTANDING = {1, 256};

  private EchoBenchmark() {}

  /**
   * Runs it.
   *
   * @param arguments how many round trips a turn makes; 100,000 when not given
   */
  public static void main(String[] arguments) throws InterruptedException {
    int count = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 100_000;
    TcpLinkProvider provider = new TcpLinkProvider();
    try (Echo netty = new NettyEcho(provider.toString().startsWith("epoll"));
        Echo link = new LinkEcho(provider);
        Echo call = new CallEcho()) {
      for (int outstanding : OUTSTANDING) {
        compare(List.of(netty, link, call), count, outstanding).forEach(System.out::println);
      }
    }
  }

  /** Returns one line per way, in their order. */
  static List<String> compare(List<Echo> ways, int count, int outstanding)
      throws InterruptedException {
    List<List<Turn>> turns = new ArrayList<>();
    for (Echo way : ways) {
      take(way, count, outstanding); // warm-up
      turns.add(new ArrayList<>());
    }
    for (int turn = 0; turn < TURNS; turn++) {
      for (int way = 0; way < ways.size(); way++) {
        turns.get(way).add(take(ways.get(way), count, outstanding));
      }
    }
    List<String> lines = new ArrayList<>();
    for (int way = 0; way < ways.size(); way++) {
      lines.add(describe(ways.get(way).name(), outstanding, turns.get(way)));
    }
    return lines;
  }

  private record Turn(double p50Micros, double p99Micros, double perSecond, long messages) {}

  private static Turn take(Echo way, int count, int outstanding) throws InterruptedException {
    Histogram nanos = new Histogram(3);
    long start = System.nanoTime();
    way.roundTrips(count, outstanding, nanos);
    double seconds = (System.nanoTime() - start) / 1e9;
    return new Turn(
        nanos.getValueAtPercentile(50) / 1e3,
        nanos.getValueAtPercentile(99) / 1e3,
        count / seconds,
        nanos.getTotalCount());
  }

  private static String describe(String name, int outstanding, List<Turn> turns) {
    return String.format(
        Locale.ROOT,
        "%-4d outstanding  p50 %8.1f us  p99 %8.1f us  %9.0f/s  %d messages  %s",
        outstanding,
        median(turns.stream().mapToDouble(Turn::p50Micros).toArray()),
        median(turns.stream().mapToDouble(Turn::p99Micros).toArray()),
        median(turns.stream().mapToDouble(Turn::perSecond).toArray()),
        turns.stream().mapToLong(Turn::messages).sum(),
        name);
  }

  private static double median(double[] values) {
    Arrays.sort(values);
    return values[values.length / 2];
  }
}
