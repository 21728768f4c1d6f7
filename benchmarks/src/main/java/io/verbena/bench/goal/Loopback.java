package io.verbena.bench.goal;

import io.verbena.bench.load.Handler;
import io.verbena.bench.load.Kind;
import io.verbena.bench.load.Load;
import io.verbena.bench.load.Mode;
import io.verbena.bench.report.Result;
import io.verbena.bench.rival.Rival;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The targets on loopback TCP, between two processes. */
public final class Loopback {
  private static final String TCP = "verbena tcp";
  private static final String NIO = Rival.NIO.title();
  private static final String NETTY = Rival.NETTY.title();
  private static final String GRPC = Rival.GRPC.title();
  private static final String TUNED = Rival.GRPC_TUNED.title();
  private static final int SMALL = 64;
  private static final int DEEP = 256;
  private static final int MEBIBYTE = 1 << 20;

  /**
   * Known on two cores of another machine: 2.1 to 2.3 million raw Netty calls each second beside
   * 170,000 to 220,000 of a tuned gRPC, 3.5 to 4 million of raw java.nio beside Netty's. A rival
   * that has less than half of that, measured by the other, does not do what it can.
   */
  private static final double LEAST_TUNED_OF_NETTY = 0.5 * 170_000 / 2_300_000;

  private static final double LEAST_NIO_OF_NETTY = 0.5 * 3.5 / 2.3;

  private final Player player;
  private final Duration turn;
  private final List<Row> rows = new ArrayList<>();

  /** Has all contestants that are here take turns under a load. */
  @FunctionalInterface
  public interface Player {
    /** Returns what came of it. */
    List<Result> play(Load load) throws InterruptedException;
  }

  /**
   * Targets that are told by these turns.
   *
   * @param turn how long each is
   */
  public Loopback(Player player, Duration turn) {
    this.player = player;
    this.turn = turn;
  }

  /**
   * Returns a row for each target.
   *
   * @throws IllegalStateException if a rival is far below what it is known to do
   */
  public List<Row> rows() throws InterruptedException {
    lone();
    deep();
    objects(MEBIBYTE, 8);
    objects(64 * MEBIBYTE, 2);
    return rows;
  }

  private Figures play(Load load) throws InterruptedException {
    return new Figures(player.play(load));
  }

  private void lone() throws InterruptedException {
    Load load = Load.of(Kind.CALL, SMALL, 1, turn);
    Figures async = play(load);
    rows.add(
        Row.atMost(
            "64 B, 1 outstanding, async, p50", async.p50(TCP), NETTY, async.p50(NETTY), "us", 1.2));
    Figures blocking = play(load.with(Mode.VIRTUAL, Handler.NONBLOCKING));
    rows.add(
        Row.atMost(
            "64 B, blocking virtual thread, p50",
            blocking.p50(TCP),
            NETTY,
            async.p50(NETTY),
            "us",
            1.5));
  }

  private void deep() throws InterruptedException {
    Load load = Load.of(Kind.CALL, SMALL, DEEP, turn);
    Figures loop = play(load);
    checkRivals(loop);
    double rate = loop.rate(TCP);
    String name = "64 B, 256 outstanding, ";
    rows.add(Row.atLeast(name + "nonBlocking", rate, TUNED, loop.rate(TUNED), "/s", 5));
    rows.add(Row.atLeast(name + "nonBlocking", rate, NETTY, loop.rate(NETTY), "/s", 0.5));
    Figures threads = play(load.with(Mode.ASYNC, Handler.VIRTUAL));
    rows.add(
        Row.atLeast(
            name + "virtual handler", threads.rate(TCP), TUNED, threads.rate(TUNED), "/s", 3));
  }

  private static void checkRivals(Figures figures) {
    check(TUNED, figures.rate(TUNED) / figures.rate(NETTY), LEAST_TUNED_OF_NETTY);
    check(NIO, figures.rate(NIO) / figures.rate(NETTY), LEAST_NIO_OF_NETTY);
  }

  private static void check(String rival, double ratio, double least) {
    if (ratio < least) {
      throw new IllegalStateException(
          String.format(
              Locale.ROOT,
              "%s makes %.3f of raw Netty's calls, and is known for %.3f at least: no claim can"
                  + " rest on so weak a rival; measure again on a quiet machine",
              rival,
              ratio,
              least));
    }
  }

  private void objects(int size, int outstanding) throws InterruptedException {
    Figures figures = play(Load.of(Kind.PUT, size, outstanding, turn));
    String name = "put " + (size / MEBIBYTE) + " MiB, " + outstanding + " outstanding";
    double mine = figures.mebibytes(TCP);
    String raw = Figures.better(figures::mebibytes, NIO, NETTY);
    rows.add(Row.atLeast(name, mine, raw, figures.mebibytes(raw), "MiB/s", 0.9));
    String grpc = Figures.better(figures::mebibytes, GRPC, TUNED);
    rows.add(Row.atLeast(name, mine, grpc, figures.mebibytes(grpc), "MiB/s", 2));
  }
}
