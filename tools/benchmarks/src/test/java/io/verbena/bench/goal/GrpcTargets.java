package io.verbena.bench.goal;

import static io.verbena.bench.rival.Rival.GRPC_TUNED;
import static io.verbena.bench.rival.Rival.GRPC_UNIX;
import static io.verbena.bench.rival.Rival.VERBENA_GRPC_SHM;
import static io.verbena.bench.rival.Rival.VERBENA_GRPC_TUNED;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.verbena.bench.load.Handler;
import io.verbena.bench.load.Kind;
import io.verbena.bench.load.Load;
import io.verbena.bench.load.Mode;
import io.verbena.bench.report.Result;
import io.verbena.bench.rival.Rival;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/**
 * The targets of gRPC's stubs and services over sessions, beside the same over gRPC's own
 * transport. Unary calls are between two processes, streams within one.
 */
public final class GrpcTargets {
  private static final String UNARY = "stub, 64 B, ";
  private static final int SMALL = 64;
  private static final int DEEP = 256;
  private static final int MEBIBYTE = 1 << 20;
  private static final long TURN_BYTES = 2L << 30;
  private static final long HALF_A_MILLISECOND = 500_000;
  private static final int ROUND_TRIPS = 5_000;

  private final Scoreboard board;

  public GrpcTargets(Scoreboard board) {
    this.board = board;
  }

  /** Tells a row for each target of unary calls, by these turns. */
  public void measureCalls(Player player, Duration turn) throws InterruptedException {
    board.section(UNARY + "1 outstanding", () -> lone(player, turn));
    board.section(UNARY + "256 outstanding", () -> deep(player, turn));
    board.section("stub, 1 MiB up, x8", () -> long8(player, turn));
  }

  private static Figures play(Player player, Load load, Rival... contestants)
      throws InterruptedException {
    Set<String> names = new HashSet<>();
    for (Rival one : contestants) {
      names.add(one.title());
    }
    return new Figures(player.play(load, names));
  }

  private void lone(Player player, Duration turn) throws InterruptedException {
    Load load = Load.of(Kind.CALL, SMALL, 1, turn);
    loneRow("async", play(player, load, VERBENA_GRPC_SHM, GRPC_UNIX), 0.4);
    Load waiting = load.with(Mode.PLATFORM, Handler.NONBLOCKING);
    loneRow("blocking", play(player, waiting, VERBENA_GRPC_SHM, GRPC_UNIX), 0.3);
  }

  private void loneRow(String how, Figures figures, double limit) {
    Beside both = Beside.p50(figures, VERBENA_GRPC_SHM.title(), GRPC_UNIX.title());
    board.tell(Row.atMost(UNARY + how + ", shm, p50", both, "us", limit));
  }

  private void deep(Player player, Duration turn) throws InterruptedException {
    Load load = Load.of(Kind.CALL, SMALL, DEEP, turn);
    Figures figures = play(player, load, VERBENA_GRPC_TUNED, GRPC_TUNED);
    String mine = VERBENA_GRPC_TUNED.title();
    String its = GRPC_TUNED.title();
    String name = UNARY + "256 outstanding";
    board.tell(Row.atLeast(name, Beside.rate(figures, mine, its), "/s", 3));
    board.tell(Row.atMost(name + ", CPU", Beside.cpu(figures, mine, its), "us", 0.35));
  }

  private void long8(Player player, Duration turn) throws InterruptedException {
    Load load = Load.of(Kind.PUT, MEBIBYTE, 8, turn).counting(TURN_BYTES / MEBIBYTE);
    Figures figures = play(player, load, VERBENA_GRPC_TUNED, VERBENA_GRPC_SHM, GRPC_TUNED);
    long8Row("tcp", figures, VERBENA_GRPC_TUNED, 2);
    long8Row("shm", figures, VERBENA_GRPC_SHM, 5);
  }

  private void long8Row(String path, Figures figures, Rival mine, double limit) {
    Beside both = Beside.mebibytes(figures, mine.title(), GRPC_TUNED.title());
    board.tell(Row.atLeast("stub, 1 MiB up, x8, " + path, both, "MiB/s", limit));
  }

  /**
   * Tells a row for each target of streams.
   *
   * @param items how many a stream has
   * @param rounds how many count. As many before them warm both up
   */
  public void measureStreams(int items, int rounds) throws InterruptedException {
    board.section("stub, streams", () -> streams(items, rounds));
  }

  private void streams(int items, int rounds) throws IOException, InterruptedException {
    Server mine = GrpcFeed.serveSessions(items);
    Server its = GrpcFeed.serve(items);
    try (DelayingProxy before = DelayingProxy.start(mine.getPort(), HALF_A_MILLISECOND);
        DelayingProxy beforeIts = DelayingProxy.start(its.getPort(), HALF_A_MILLISECOND)) {
      ManagedChannel far = GrpcFeed.connectSession(before.port());
      ManagedChannel itsFar = GrpcFeed.connect(beforeIts.port());
      ManagedChannel near = GrpcFeed.connectSession(mine.getPort());
      ManagedChannel itsNear = GrpcFeed.connect(its.getPort());
      try {
        Beside bytes = byTurns(rounds, () -> mebibytes(far, items), () -> mebibytes(itsFar, items));
        board.tell(Row.atLeast("stub, stream of 1 KiB, result, 1 ms", bytes, "MiB/s", 1));
        Beside trips = byTurns(rounds, () -> roundTrip(near), () -> roundTrip(itsNear));
        board.tell(Row.atMost("stub, ping-pong of 1 KiB, p50", trips, "us", 1));
      } finally {
        for (ManagedChannel channel : new ManagedChannel[] {far, itsFar, near, itsNear}) {
          channel.shutdownNow();
        }
      }
    } finally {
      mine.shutdownNow();
      its.shutdownNow();
    }
  }

  @FunctionalInterface
  private interface Measure {
    double once() throws InterruptedException;
  }

  private static Beside byTurns(int rounds, Measure mine, Measure its) throws InterruptedException {
    double[] mines = new double[rounds];
    double[] others = new double[rounds];
    double[] ratios = new double[rounds];
    for (int round = -rounds; round < rounds; round++) {
      double one = mine.once();
      double other = its.once();
      if (round >= 0) {
        mines[round] = one;
        others[round] = other;
        ratios[round] = one / other;
      }
    }
    return new Beside(Result.median(mines), "grpc", Result.median(others), Result.median(ratios));
  }

  private static double mebibytes(ManagedChannel channel, int items) throws InterruptedException {
    return StreamTargets.mebibytesPerSecond(() -> GrpcFeed.take(channel), items);
  }

  private static double roundTrip(ManagedChannel channel) throws InterruptedException {
    return Result.median(StreamTargets.done(GrpcFeed.pingPong(channel, ROUND_TRIPS)));
  }
}
