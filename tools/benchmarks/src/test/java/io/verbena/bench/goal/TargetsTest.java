package io.verbena.bench.goal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.bench.load.Kind;
import io.verbena.bench.load.Load;
import io.verbena.bench.load.Mode;
import io.verbena.bench.load.Turn;
import io.verbena.bench.report.Result;
import io.verbena.bench.report.Round;
import io.verbena.bench.usage.Usage;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class TargetsTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final StringWriter printed = new StringWriter();
  private final Scoreboard board = new Scoreboard(new PrintWriter(printed), Duration.ofMinutes(1));

  /** Rivals that do, in calls each second, what they are known for; the product does as said. */
  private static Player players(double productByNetty, double grpcByKnown) {
    return (load, names) -> {
      boolean small = load.size() == 64;
      double netty = small ? 2_100_000 : 5_000;
      double grpc = grpcByKnown * (small ? 200_000 : 2_000);
      boolean async = load.mode() == Mode.ASYNC;
      Map<String, Double> rates =
          Map.of(
              "verbena tcp", netty * productByNetty,
              "verbena shm", async ? netty : netty * productByNetty,
              "raw nio", netty,
              "raw netty", netty,
              "raw sendfile", netty,
              "grpc", grpc / 2,
              "grpc tuned", grpc);
      return names.stream()
          .map(name -> result(name, load, rates.getOrDefault(name, 1.0).intValue()))
          .toList();
    };
  }

  private List<Row> rows(Player player) throws InterruptedException {
    new Loopback(player, SECOND, board).measure();
    return board.rows();
  }

  private static Result result(String contestant, Load load, int... calls) {
    List<Round> rounds = Arrays.stream(calls).mapToObj(each -> round(load, each)).toList();
    return new Result(contestant, "here", load, rounds, new Histogram(3));
  }

  private static Round round(Load load, int calls) {
    Histogram nanos = new Histogram(3);
    nanos.recordValueWithCount(1_000_000_000L / calls, calls);
    Usage usage = new Usage(1, 1, 1, 0);
    return Round.of(load, new Turn(nanos, calls, 1, 0), usage, usage);
  }

  @Test
  void areToldByWhatEachRoundSaysOfBoth() {
    Load load = Load.of(Kind.CALL, 64, 1, SECOND);
    Result slowFirst = result("one", load, 100, 900, 800);
    Result slowLater = result("other", load, 100, 1000, 200);
    Beside both = Beside.rate(new Figures(List.of(slowFirst, slowLater)), "one", "other");
    assertThat(both.figure()).isEqualTo(800);
    assertThat(both.rivalFigure()).isEqualTo(200);
    assertThat(both.ratio()).as("of 1, 0.9 and 4").isEqualTo(1);
  }

  @Test
  void areReachedWhenTheProductIsAsFastAsItsRivals() throws Exception {
    assertThat(rows(players(1, 1))).hasSize(18).allMatch(Row::isReached);
    assertThat(board.close()).isTrue();
    assertThat(printed.toString()).contains("  ok", "18 of 18").doesNotContain("short");
  }

  @Test
  void areShortWhenTheProductIsSlower() throws Exception {
    assertThat(rows(players(0.2, 1))).noneMatch(Row::isReached);
    assertThat(board.close()).isFalse();
    assertThat(printed.toString()).contains("short", "0 of 18").doesNotContain("  ok");
  }

  @Test
  void restOnNoRivalThatIsFarBelowWhatItIsKnownFor() throws Exception {
    assertThat(rows(players(1, 0.1)))
        .hasSize(18)
        .allMatch(row -> row.isReached() != row.rival().startsWith("grpc"));
    assertThat(printed.toString())
        .contains("void, else ok: weak rival: 0.12 of the speed that raw netty");
    assertThat(board.close()).isFalse();
  }

  @Test
  void keepTheRowsOfOneSectionWhenAnotherFails() throws Exception {
    Player fine = players(1, 1);
    List<Row> rows =
        rows(
            (load, names) -> {
              if (load.outstanding() == 256) {
                throw new IllegalStateException("a call failed: deadline");
              }
              return fine.play(load, names);
            });
    assertThat(rows).hasSize(17).filteredOn(Row::isReached).hasSize(15);
    assertThat(printed.toString()).contains("short: not measured: a call failed: deadline");
  }

  @Test
  void areToldThoughASectionFailsInAWayThatNobodyExpected() throws Exception {
    Player fine = players(1, 1);
    List<Row> rows =
        rows(
            (load, names) -> {
              if (load.outstanding() == 8) {
                throw new UncheckedIOException(new IOException("the server is gone"));
              }
              return fine.play(load, names);
            });
    assertThat(rows).hasSize(17).filteredOn(Row::isReached).hasSize(16);
    assertThat(printed.toString()).contains("short: not measured").contains("the server is gone");
  }

  @Test
  void areMeasuredOnceMoreWhereTheHostWasInTheWay() throws Exception {
    Player fine = players(1, 1);
    AtomicInteger failures = new AtomicInteger(1);
    List<Row> rows =
        rows(
            (load, names) -> {
              if (load.outstanding() == 8 && failures.getAndDecrement() > 0) {
                throw new IllegalStateException("four handshakes of 5 s passed");
              }
              return fine.play(load, names);
            });
    assertThat(rows).hasSize(18).allMatch(Row::isReached);
    assertThat(printed.toString())
        .contains("(measured once more: put 1 MiB x8: four handshakes of 5 s passed)");
  }

  @Test
  void areNotReachedBesideARivalThatDidNothing() {
    Row row = Row.atLeast("a put", Beside.of(5, "perftest", 0), "MiB/s", 0.9);
    assertThat(row.isReached()).isFalse();
  }

  @Test
  void areNotBegunWhenTheTimeIsOver() throws Exception {
    Scoreboard late = new Scoreboard(new PrintWriter(printed), Duration.ofNanos(-1));
    new Loopback(players(1, 1), SECOND, late).measure();
    assertThat(late.rows()).hasSize(7).noneMatch(Row::isReached);
    assertThat(printed.toString()).contains("no time is left");
  }

  @Test
  void onABusyHostAreToldBesideTcp() throws Exception {
    new BusyHost(players(1, 1), SECOND, board).measure();
    assertThat(board.rows()).hasSize(9).allMatch(Row::isReached);
    Scoreboard slower = new Scoreboard(new PrintWriter(printed), Duration.ofMinutes(1));
    new BusyHost(
            (load, names) ->
                names.stream()
                    .map(name -> result(name, load, name.equals("verbena shm") ? 100 : 200))
                    .toList(),
            SECOND,
            slower)
        .measure();
    assertThat(slower.rows()).hasSize(9).noneMatch(Row::isReached);
  }

  private void measureOnDevice(int darpcs) throws InterruptedException {
    Laboratory laboratory = new Laboratory(SECOND, board);
    Player player =
        (load, names) ->
            names.stream()
                .map(name -> result(name, load, name.equals("darpc") ? darpcs : 100))
                .toList();
    laboratory.calls(player);
    laboratory.objects(player);
    laboratory.asItComes(player);
    laboratory.darpc(player);
  }

  @Test
  void areToldBesideWhatADeviceHas() throws Exception {
    measureOnDevice(70);
    assertThat(board.rows()).hasSize(16).filteredOn(row -> !row.isReached()).hasSize(2);
    assertThat(printed.toString())
        .contains("ib_send_lat", "ib_write_bw", "ib_read_bw", "darpc")
        .doesNotContain("void");
  }

  @Test
  void restOnNoRivalOnADeviceEitherThatIsFarBelowWhatItIsKnownFor() throws Exception {
    measureOnDevice(20);
    assertThat(printed.toString()).contains("void, else ok: weak rival", "lets expect of darpc");
  }
}
