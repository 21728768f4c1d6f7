package io.verbena.bench.goal;

import static java.util.Locale.ROOT;

import io.verbena.bench.rival.Rival;
import java.util.Map;

/**
 * What rivals are known to do under a load, on two cores of another machine: for whether they do
 * here what they can, by comparison with each other.
 *
 * @param rates in any unit
 */
record Known(Map<Rival, Double> rates) {
  /** 64 bytes, one call at a time: how many follow each other in a second. */
  static final Known LONE = of(1e6 / 61, 1e6 / 60, 1e6 / 121, 1e6 / 96);

  /** 64 bytes, 256 outstanding: calls each second. */
  static final Known DEEP = of(3.5e6, 2.1e6, 26e3, 170e3);

  /** 1 MiB one way, 8 outstanding: GiB each second. */
  static final Known MEBIBYTE = of(4.3, 5.2, 1.6, 1.6);

  /** 64 MiB one way, 2 outstanding: GiB each second. */
  static final Known LARGE = of(1.8, 3.8, 1.4, 1.4);

  /** ib_send_lat's round trip on the laboratory's device. */
  static final double SEND_LATENCY_MICROS = 20.6;

  /** DaRPC's there, one call at a time, and its calls each second at its best. */
  static final double DARPC_MICROS = 33;

  static final double DARPC_CALLS = 39_000;

  /** A rival that does less than this part of what the best of them makes expect is a weak one. */
  private static final double LEAST = 0.5;

  private static Known of(double nio, double netty, double grpc, double tuned) {
    return new Known(
        Map.of(Rival.NIO, nio, Rival.NETTY, netty, Rival.GRPC, grpc, Rival.GRPC_TUNED, tuned));
  }

  /** Returns what is wrong with a rival's figure; empty: nothing. */
  String doubt(Figures figures, Rival rival) {
    double best = 0;
    String by = "";
    for (Rival other : rates.keySet()) {
      if (figures.has(other.title()) && share(figures, other) > best) {
        best = share(figures, other);
        by = other.title();
      }
    }
    return doubt(share(figures, rival), rival, best, by);
  }

  /**
   * Returns what is wrong with a rival's figure; empty: nothing.
   *
   * @param share of what it is known for
   * @param others what another one's share is
   * @param by that other one's name
   */
  static String doubt(double share, Rival rival, double others, String by) {
    double part = share / others;
    return part >= LEAST
        ? ""
        : String.format(
            ROOT, "weak rival: %.2f of what %s makes expect of %s", part, by, rival.title());
  }

  private double share(Figures figures, Rival rival) {
    return figures.rate(rival.title()) / rates.getOrDefault(rival, 1.0);
  }
}
