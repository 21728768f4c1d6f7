package io.verbena.bench.goal;

import io.verbena.bench.goal.Loopback.Player;
import io.verbena.bench.load.Handler;
import io.verbena.bench.load.Kind;
import io.verbena.bench.load.Load;
import io.verbena.bench.load.Mode;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The targets on a verbs device, beside perftest on the same one. */
public final class Laboratory {
  private static final String RDMA = "verbena rdma";
  private static final String TCP = "verbena tcp";
  private static final String DARPC =
      "DaRPC needs stand-ins for two of its helpers, which tests alone have";
  private static final int SMALL = 64;
  private static final int PERFTEST_RUNS = 5;

  private final Player polling;
  private final Player waiting;
  private final Perftest perftest;
  private final Duration turn;
  private final List<Row> rows = new ArrayList<>();

  /**
   * Targets that are told by these turns.
   *
   * @param polling contestants whose loops never wait
   * @param waiting contestants as they come
   */
  public Laboratory(Player polling, Player waiting, String device, String address, Duration turn) {
    this.polling = polling;
    this.waiting = waiting;
    this.perftest = new Perftest(device, address);
    this.turn = turn;
  }

  /** Returns a row for each target. */
  public List<Row> rows() throws IOException, InterruptedException {
    small();
    objects(64 << 10, 0.9, 640);
    objects(1 << 20, 0.95, 60);
    return rows;
  }

  private void small() throws IOException, InterruptedException {
    double half = median("ib_send_lat", SMALL, Perftest.TYPICAL, "-n", "2000");
    Load lone = Load.of(Kind.CALL, SMALL, 1, turn);
    String name = "64 B call, polling, p50";
    Figures polled = new Figures(polling.play(lone));
    if (polled.has(RDMA)) {
      double p50 = polled.p50(RDMA);
      rows.add(Row.atMost(name, p50, "2 x ib_send_lat", 2 * half, "us", 1.5));
    } else {
      rows.add(Row.unmeasured(name, "no RDMA path here"));
    }
    rows.add(Row.unmeasured(name + ", at most DaRPC's", DARPC));
    rows.add(Row.unmeasured("64 B, 256 outstanding, 4 x DaRPC's best", DARPC));
    Figures waited = new Figures(waiting.play(lone.with(Mode.ASYNC, Handler.VIRTUAL)));
    String usual = "64 B call as it comes, virtual handler, p50";
    rows.add(
        waited.has(RDMA)
            ? Row.atMost(usual, waited.p50(RDMA), TCP, waited.p50(TCP), "us", 0.6)
            : Row.unmeasured(usual, "no RDMA path here"));
  }

  private void objects(int size, double limit, int messages)
      throws IOException, InterruptedException {
    String[] options = {"-n", "" + messages, "-t", "4", "-Q", "1"};
    direction(Kind.PUT, "ib_write_bw", size, limit, options);
    direction(Kind.FETCH, "ib_read_bw", size, limit, options);
  }

  private void direction(Kind kind, String program, int size, double limit, String... options)
      throws IOException, InterruptedException {
    double before = median(program, size, Perftest.AVERAGE, options);
    Figures figures = new Figures(polling.play(Load.of(kind, size, 4, turn)));
    double after = median(program, size, Perftest.AVERAGE, options);
    String name = kind.name().toLowerCase(Locale.ROOT) + " " + (size >> 10) + " KiB x4";
    rows.add(
        figures.has(RDMA)
            ? Row.atLeast(
                name, figures.mebibytes(RDMA), program, (before + after) / 2, "MiB/s", limit)
            : Row.unmeasured(name, "no RDMA path here"));
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
