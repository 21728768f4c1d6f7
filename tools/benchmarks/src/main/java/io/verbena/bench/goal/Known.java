package io.verbena.bench.goal;

import io.verbena.bench.goal.Share.Unit;
import io.verbena.bench.load.Kind;
import io.verbena.bench.load.Load;
import io.verbena.bench.load.Memory;
import io.verbena.bench.load.Mode;
import io.verbena.bench.report.Result;
import io.verbena.bench.report.Tables;
import io.verbena.bench.rival.Rival;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Known figures of rivals under a load on another machine. They show whether a rival reaches its
 * usual speed here, in comparison with the other rivals. A slower machine is slower for all.
 *
 * @param kind the kind of load; size and outstanding calls also describe the load
 * @param figures the figures in the unit. Rates may be in any unit
 */
public record Known(Kind kind, int size, int outstanding, Unit unit, Map<Rival, Double> figures) {
  /** 64 bytes, one call at a time, on two cores. */
  static final Known LONE = tcp(Kind.CALL, 64, 1, Unit.P50, 61, 60, 121, 96);

  /** 64 bytes, 256 outstanding, on two cores. */
  static final Known DEEP = tcp(Kind.CALL, 64, 256, Unit.RATE, 3.5e6, 2.1e6, 26e3, 170e3);

  /** 1 MiB one way, 8 outstanding, on two cores, in GiB each second. */
  static final Known MEBIBYTE = tcp(Kind.PUT, 1 << 20, 8, Unit.RATE, 4.3, 5.2, 1.6, 1.6);

  /** 64 MiB one way, 2 outstanding, on two cores, in GiB each second. */
  static final Known LARGE = tcp(Kind.PUT, 64 << 20, 2, Unit.RATE, 1.8, 3.8, 1.4, 1.4);

  /** 64 bytes, one call at a time, on the laboratory's device. */
  static final Known LONE_ON_DEVICE =
      new Known(Kind.CALL, 64, 1, Unit.P50, Map.of(Rival.PERFTEST, 20.6, Rival.DARPC, 33.0));

  /** 64 bytes, with the most concurrent calls that DaRPC supports there. */
  static final Known DEEP_ON_DEVICE =
      new Known(Kind.CALL, 64, 32, Unit.RATE, Map.of(Rival.DARPC, 39e3));

  private static final List<Known> ALL =
      List.of(LONE, DEEP, MEBIBYTE, LARGE, LONE_ON_DEVICE, DEEP_ON_DEVICE);

  private static Known tcp(
      Kind kind,
      int size,
      int outstanding,
      Unit unit,
      double nio,
      double netty,
      double grpc,
      double tuned) {
    return new Known(
        kind,
        size,
        outstanding,
        unit,
        Map.of(Rival.NIO, nio, Rival.NETTY, netty, Rival.GRPC, grpc, Rival.GRPC_TUNED, tuned));
  }

  /**
   * Returns a line for each weak rival. A weak rival is far slower than the figure that the best
   * rival's speed under the same load lets expect. The line has the rival, its figure, the expected
   * figure and the reason. A single rival, and a load without known figures, cannot be checked.
   */
  public static List<String> weakRivals(List<Result> results) {
    Map<Load, List<Result>> byLoad = new LinkedHashMap<>();
    results.forEach(
        result -> byLoad.computeIfAbsent(result.load(), load -> new ArrayList<>()).add(result));
    List<String> lines = new ArrayList<>();
    byLoad.forEach(
        (load, played) ->
            ALL.stream()
                .filter(known -> known.isFor(load))
                .flatMap(known -> known.weak(new Figures(played)))
                .map(words -> Tables.words(load) + ": " + words)
                .forEach(lines::add));
    return lines;
  }

  /** Waiting callers, a rate or a check of every byte affect rivals differently, so they differ. */
  private boolean isFor(Load load) {
    return load.kind() == kind
        && load.size() == size
        && load.outstanding() == outstanding
        && load.connections() == 1
        && load.mode() == Mode.ASYNC
        && load.memory() == Memory.WARM
        && load.ratePerSecond() == 0
        && !load.validate()
        && !load.checksum();
  }

  private Stream<String> weak(Figures played) {
    return shares(played)
        .flatMap(
            share -> best(played).filter(share::isWeakBeside).map(share::besideInWords).stream());
  }

  /** Returns the reason why a rival's figure is weak; empty if it is not. */
  String doubt(Figures played, Rival rival) {
    return share(played, rival).flatMap(share -> best(played).map(share::doubtBeside)).orElse("");
  }

  /** Compares a rival's figure with the known one. Returns nothing if either is missing. */
  Optional<Share> share(Figures played, Rival rival) {
    Double known = figures.get(rival);
    if (known == null || !played.has(rival.title())) {
      return Optional.empty();
    }
    double figure = unit == Unit.P50 ? played.p50(rival.title()) : played.rate(rival.title());
    return Optional.of(new Share(rival, figure, known, unit));
  }

  private Stream<Share> shares(Figures played) {
    return Stream.of(Rival.values()).flatMap(rival -> share(played, rival).stream());
  }

  private Optional<Share> best(Figures played) {
    return shares(played).max(Comparator.comparingDouble(Share::part));
  }
}
