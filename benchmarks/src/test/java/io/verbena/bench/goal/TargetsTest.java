package io.verbena.bench.goal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.bench.load.Load;
import io.verbena.bench.load.Turn;
import io.verbena.bench.report.Result;
import io.verbena.bench.report.Round;
import io.verbena.bench.usage.Usage;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class TargetsTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  /** As fast, in calls each second, as the test says. */
  private static Loopback.Player players(Map<String, Integer> callsPerSecond) {
    return load ->
        callsPerSecond.entrySet().stream()
            .map(entry -> result(entry.getKey(), load, entry.getValue()))
            .toList();
  }

  private static Result result(String contestant, Load load, int calls) {
    Histogram nanos = new Histogram(3);
    nanos.recordValueWithCount(1_000_000_000L / calls, calls);
    Usage usage = new Usage(1, 1, 1);
    Round round = Round.of(load, new Turn(nanos, 1), usage, usage);
    return new Result(contestant, "here", load, List.of(round), nanos);
  }

  @Test
  void areReachedWhenTheProductIsAsFastAsItsRivals() throws Exception {
    List<Row> rows =
        new Loopback(
                players(
                    Map.of(
                        "verbena tcp", 2_000_000,
                        "raw nio", 2_000_000,
                        "raw netty", 2_000_000,
                        "grpc", 20_000,
                        "grpc tuned", 200_000)),
                SECOND)
            .rows();
    assertThat(rows).hasSize(9).allMatch(Row::isReached);
    assertThat(Row.table(rows)).contains("ok").doesNotContain("short");
  }

  @Test
  void areShortWhenTheProductIsSlower() throws Exception {
    List<Row> rows =
        new Loopback(
                players(
                    Map.of(
                        "verbena tcp", 300_000,
                        "raw nio", 2_000_000,
                        "raw netty", 2_000_000,
                        "grpc", 20_000,
                        "grpc tuned", 200_000)),
                SECOND)
            .rows();
    assertThat(rows).noneMatch(Row::isReached);
    assertThat(Row.table(rows)).contains("short").doesNotContain("ok");
  }

  @Test
  void restOnNoRivalThatIsFarBelowWhatItIsKnownFor() {
    Loopback loopback =
        new Loopback(
            players(
                Map.of(
                    "verbena tcp", 2_000_000,
                    "raw nio", 2_000_000,
                    "raw netty", 2_000_000,
                    "grpc", 2_000,
                    "grpc tuned", 5_000)),
            SECOND);
    assertThatThrownBy(loopback::rows).hasMessageContaining("grpc tuned");
  }

  @Test
  void areShortWhenTheyCannotBeMeasured() {
    Row row = Row.unmeasured("a target", "no device");
    assertThat(row.isReached()).isFalse();
    assertThat(Row.table(List.of(row))).contains("short: not measured: no device");
  }

  @Test
  void readWhatPerftestPrints() throws IOException {
    String latency =
        """
         #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]
         64      2000          9.10           80.00        10.20              10.90
        """;
    assertThat(Perftest.parse("ib_send_lat", latency, 64, Perftest.TYPICAL)).isEqualTo(10.2);
    assertThatThrownBy(() -> Perftest.parse("ib_send_lat", "no device", 64, Perftest.TYPICAL))
        .hasMessageContaining("no device");
  }
}
