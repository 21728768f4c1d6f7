package io.verbena.bench.goal;

import io.verbena.bench.load.Handler;
import io.verbena.bench.load.Kind;
import io.verbena.bench.load.Load;
import io.verbena.bench.load.Mode;
import io.verbena.bench.report.Tables;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The targets on a verbs device, beside perftest on the same one. */
public final class Laboratory {
  private static final String RDMA = "verbena rdma";
  private static final String TCP = "verbena tcp";
  private static final String DARPC =
      "DaRPC needs stand-ins for two of its helpers, which tests alone have";
  private static final String LONE = "64 B call, polling, p50";
  private static final int SMALL = 64;
  private static final int KIBIBYTE = 1 << 10;
  private static final int PERFTEST_RUNS = 3;

  private final Perftest perftest;
  private final Duration turn;
  private final Scoreboard board;

  /**
   * Targets that are told on this scoreboard.
   *
   * @param turn how long each is
   */
  public Laboratory(Perftest perftest, Duration turn, Scoreboard board) {
    this.perftest = perftest;
    this.turn = turn;
    this.board = board;
  }

  /**
   * Tells what is asked of loops that never wait.
   *
   * @param player whose loops do so
   */
  public void polling(Player player) throws InterruptedException {
    board.section(LONE, () -> lone(player));
    board.tell(Row.unmeasured(LONE + ", at most DaRPC's", DARPC));
    board.tell(Row.unmeasured("64 B, 256 outstanding, 4 x DaRPC's best", DARPC));
    for (int kibibytes : List.of(64, 1024, 16 * 1024)) {
      double limit = kibibytes < 1024 ? 0.9 : 0.95;
      objects(player, Kind.PUT, kibibytes * KIBIBYTE, "ib_write_bw", limit);
      objects(player, Kind.FETCH, kibibytes * KIBIBYTE, "ib_read_bw", limit);
    }
  }

  /**
   * Tells what is asked of the product in its usual mode.
   *
   * @param player whose loops are as they come
   */
  public void asItComes(Player player) throws InterruptedException {
    String name = "64 B call as it comes, virtual handler, p50";
    Load load = Load.of(Kind.CALL, SMALL, 1, turn).with(Mode.ASYNC, Handler.VIRTUAL);
    board.section(
        name,
        () -> {
          Figures figures = play(player, load, RDMA, TCP);
          board.tell(Row.atMost(name, figures.p50(RDMA), TCP, figures.p50(TCP), "us", 0.6));
        });
  }

  private static Figures play(Player player, Load load, String... contestants)
      throws InterruptedException {
    return new Figures(player.play(load, Set.of(contestants)));
  }

  private void lone(Player player) throws IOException, InterruptedException {
    double half = median("ib_send_lat", SMALL, Perftest.TYPICAL, "-n", "2000");
    double p50 = play(player, Load.of(Kind.CALL, SMALL, 1, turn), RDMA).p50(RDMA);
    board.tell(Row.atMost(LONE, p50, "2 x ib_send_lat", 2 * half, "us", 1.5));
  }

  private void objects(Player player, Kind kind, int size, String program, double limit)
      throws InterruptedException {
    String name = kind.name().toLowerCase(Locale.ROOT) + " " + Tables.bytes(size) + " x4";
    String[] options = {"-n", "" + messages(size), "-t", "4", "-Q", "1"};
    board.section(
        name,
        () -> {
          double before = median(program, size, Perftest.AVERAGE, options);
          double mine = play(player, Load.of(kind, size, 4, turn), RDMA).mebibytes(RDMA);
          double after = median(program, size, Perftest.AVERAGE, options);
          board.tell(Row.atLeast(name, mine, program, (before + after) / 2, "MiB/s", limit));
        });
  }

  /** About 100 MiB: perftest counts messages, and a second of them is enough. */
  private static int messages(int size) {
    return Math.max(8, 100 * 1024 * KIBIBYTE / size);
  }

  private double median(String program, int size, int column, String... options)
      throws IOException, InterruptedException {
    double[] values = new double[PERFTEST_RUNS];
    for (int i = 0; i < values.length; i++) {
      values[i] = perftest.run(program, size, column, options);
    }
    Arrays.sort(values);
    return values[values.length / 2];
  }
}
