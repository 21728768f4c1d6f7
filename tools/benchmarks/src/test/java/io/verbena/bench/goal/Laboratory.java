package io.verbena.bench.goal;

import io.verbena.bench.load.Handler;
import io.verbena.bench.load.Kind;
import io.verbena.bench.load.Load;
import io.verbena.bench.load.Mode;
import io.verbena.bench.report.Tables;
import io.verbena.bench.rival.Rival;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The targets on a verbs device, beside perftest and DaRPC on the same one. */
public final class Laboratory {
  private static final String RDMA = "verbena rdma";
  private static final String TCP = "verbena tcp";
  private static final String PREFER = "verbena prefer";
  private static final String PERFTEST = Rival.PERFTEST.title();
  private static final String DARPC = Rival.DARPC.title();
  private static final String LONE = "64 B call, polling, p50";
  private static final String DEEP = "64 B, 256 outstanding, polling";
  private static final String BLOCKING = "64 B call as it comes, blocking virtual";
  private static final String FIRST = "first answer of a new session";
  private static final double FIRST_ON_DEVICE_MILLIS = 150;
  private static final double MICROS_PER_MILLI = 1e3;
  private static final int SMALL = 64;
  private static final int KIBIBYTE = 1 << 10;
  private static final int MEBIBYTE = 1 << 20;

  /**
   * As many as DaRPC can have under way here; one message costs what it costs, so more do not help.
   */
  private static final int DARPC_OUTSTANDING = 32;

  /** In all objects of a turn together: a second, where a MiB takes 10 ms. */
  private static final int TURN_BYTES = 64 * MEBIBYTE;

  private final Duration turn;
  private final Scoreboard board;
  private double lone;
  private double deep;

  /** What ib_send_lat has here of its known speed; null: not measured. */
  private @Nullable Share host;

  /**
   * Targets that are told on this scoreboard.
   *
   * @param turn how long each is
   */
  public Laboratory(Duration turn, Scoreboard board) {
    this.turn = turn;
    this.board = board;
  }

  /**
   * Tells what is asked of small calls on loops that do not wait under load.
   *
   * @param player whose loops do so
   */
  public void calls(Player player) throws InterruptedException {
    board.section(
        LONE,
        () -> {
          Figures figures = play(player, Load.of(Kind.CALL, SMALL, 1, turn), RDMA, PERFTEST);
          lone = figures.p50(RDMA);
          host = Known.LONE_ON_DEVICE.share(figures, Rival.PERFTEST).orElse(null);
          Beside both = Beside.p50(figures, RDMA, PERFTEST).named("2 x ib_send_lat");
          board.tell(Row.atMost(LONE, both, "us", 1.5));
        });
    Load many = Load.of(Kind.CALL, SMALL, 256, turn);
    board.section(DEEP, () -> deep = play(player, many, RDMA).rate(RDMA));
  }

  /**
   * Tells how those calls compare with DaRPC's, in turns of its own: its server never waits, and
   * leaves no processor to others.
   */
  public void darpc(Player player) throws InterruptedException {
    String name = LONE + ", against DaRPC";
    board.section(
        name,
        () -> {
          Load load = Load.of(Kind.CALL, SMALL, 1, turn);
          Figures theirs = play(player, load, DARPC);
          Beside both = Beside.of(measured(lone), DARPC, theirs.p50(DARPC));
          board.tell(Row.atMost(name, both, "us", 1).doubted(doubt(Known.LONE_ON_DEVICE, theirs)));
        });
    board.section(
        DEEP,
        () -> {
          Load load = Load.of(Kind.CALL, SMALL, DARPC_OUTSTANDING, turn);
          Figures theirs = play(player, load, DARPC);
          Beside both = Beside.of(measured(deep), DARPC, theirs.rate(DARPC));
          board.tell(Row.atLeast(DEEP, both, "/s", 4).doubted(doubt(Known.DEEP_ON_DEVICE, theirs)));
        });
  }

  /** It was measured in turns of its own, so beside what ib_send_lat had in others. */
  private String doubt(Known known, Figures darpcs) {
    Share beside = host;
    return beside == null
        ? ""
        : known.share(darpcs, Rival.DARPC).map(share -> share.doubtBeside(beside)).orElse("");
  }

  private static double measured(double figure) {
    if (figure == 0) {
      throw new IllegalStateException("there is no figure of Verbena's to compare");
    }
    return figure;
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
          board.tell(Row.atMost(name, Beside.p50(figures, RDMA, TCP), "us", 0.6));
        });
    blocking(player);
    opening(player);
  }

  /** Blocking callers beside async ones. */
  private void blocking(Player player) throws InterruptedException {
    Load load = Load.of(Kind.CALL, SMALL, 1, turn);
    board.section(
        BLOCKING,
        () -> {
          Figures async = play(player, load, RDMA);
          Figures waiting = play(player, load.with(Mode.VIRTUAL, Handler.NONBLOCKING), RDMA);
          Beside p50 = Beside.of(waiting.p50(RDMA), "async", async.p50(RDMA));
          board.tell(Row.atMost(BLOCKING + ", p50", p50, "us", 1.2));
          Beside cpu = Beside.of(waiting.cpu(RDMA), "async", async.cpu(RDMA));
          board.tell(Row.atMost(BLOCKING + ", CPU", cpu, "us", 1.3));
        });
  }

  /** Under PREFER_RDMA a session's first calls go over TCP while RDMA is opened beside it. */
  private void opening(Player player) throws InterruptedException {
    Load load = Load.of(Kind.CONNECT, SMALL, 1, turn);
    board.section(
        FIRST,
        () -> {
          Figures figures = play(player, load, PREFER, TCP, RDMA);
          board.tell(Row.atMost(FIRST, Beside.p50(figures, PREFER, TCP), "us", 1.2));
          double millis = figures.p50(RDMA) / MICROS_PER_MILLI;
          Beside limit = Beside.of(millis, "the target", FIRST_ON_DEVICE_MILLIS);
          board.tell(Row.atMost(FIRST + ", over RDMA", limit, "ms", 1));
        });
  }

  /**
   * Tells what is asked of large objects on loops that do not wait under load.
   *
   * @param player whose loops do so
   */
  public void objects(Player player) throws InterruptedException {
    for (Kind kind : new Kind[] {Kind.PUT, Kind.FETCH}) {
      warmUp(player, kind);
      objects(player, kind, 16 * MEBIBYTE, 4, 0.9);
      objects(player, kind, MEBIBYTE, 4, 0.9);
      objects(player, kind, 64 * KIBIBYTE, 4, 0.9); // last: it needs the most of warm compilers
      // One at a time: four of them would want more memory than a laboratory machine has.
      objects(player, kind, 256 * MEBIBYTE, 1, 0.9);
    }
  }

  /**
   * Has what an object costs beside its bytes compiled, which takes thousands of objects: small
   * ones. Large ones alone left those of 64 KiB with a third of what they do after this.
   */
  private void warmUp(Player player, Kind kind) throws InterruptedException {
    Load small = Load.of(kind, 4 * KIBIBYTE, 4, turn);
    board.section(
        "warm-up of " + kind.name().toLowerCase(Locale.ROOT), () -> play(player, small, RDMA));
  }

  private void objects(Player player, Kind kind, int size, int outstanding, double limit)
      throws InterruptedException {
    String name =
        kind.name().toLowerCase(Locale.ROOT) + " " + Tables.bytes(size) + " x" + outstanding;
    String program = kind == Kind.PUT ? "ib_write_bw" : "ib_read_bw";
    // At least twice as many, so that not all of them begin and end together.
    int count = Math.max(outstanding == 1 ? 1 : 2 * outstanding, TURN_BYTES / size);
    board.section(
        name,
        () -> {
          Load load = Load.of(kind, size, outstanding, turn).counting(count);
          Figures figures = play(player, load, RDMA, PERFTEST);
          Beside both = Beside.mebibytes(figures, RDMA, PERFTEST).named(program);
          board.tell(Row.atLeast(name, both, "MiB/s", limit));
        });
  }

  private static Figures play(Player player, Load load, String... contestants)
      throws InterruptedException {
    return new Figures(player.play(load, Set.of(contestants)));
  }
}
