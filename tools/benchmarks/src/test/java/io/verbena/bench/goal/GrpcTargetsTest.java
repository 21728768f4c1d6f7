package io.verbena.bench.goal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.bench.load.Load;
import io.verbena.bench.load.Turn;
import io.verbena.bench.report.Result;
import io.verbena.bench.report.Round;
import io.verbena.bench.usage.Usage;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class GrpcTargetsTest {
  private final Scoreboard board =
      new Scoreboard(new PrintWriter(new StringWriter()), Duration.ofMinutes(1));

  private static Result result(String contestant, Load load, int calls) {
    Histogram nanos = new Histogram(3);
    nanos.recordValueWithCount(1_000_000_000L / calls, calls);
    Usage usage = new Usage(1_000_000_000L, 1, 1, 0); // a second of processor time
    Round round = Round.of(load, new Turn(nanos, calls, 1, 0), usage, usage);
    return new Result(contestant, "here", load, List.of(round), new Histogram(3));
  }

  private static Player players(int timesAsFast) {
    return (load, names) ->
        names.stream()
            .map(name -> result(name, load, name.startsWith("verbena") ? 1000 * timesAsFast : 1000))
            .toList();
  }

  @Test
  void callsAreReachedWhenSessionsAreFiveTimesAsFast() throws InterruptedException {
    new GrpcTargets(board).measureCalls(players(5), Duration.ofSeconds(1));
    assertThat(board.rows()).hasSize(6).allMatch(Row::isReached);
  }

  @Test
  void callsAreShortWhenSessionsAreAsFast() throws InterruptedException {
    new GrpcTargets(board).measureCalls(players(1), Duration.ofSeconds(1));
    assertThat(board.rows()).hasSize(6).noneMatch(Row::isReached);
  }

  @Test
  void streamsGoOverBothTransports() throws InterruptedException {
    new GrpcTargets(board).measureStreams(100, 1);
    assertThat(board.rows()).hasSize(2).allMatch(row -> row.figure() > 0 && row.rivalFigure() > 0);
  }
}
