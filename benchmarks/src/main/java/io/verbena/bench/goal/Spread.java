package io.verbena.bench.goal;

import io.verbena.bench.report.Result;
import io.verbena.bench.spread.SpreadTurn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** The target for a server with two event loops beside one with one, under eight clients. */
public final class Spread {
  private static final int LOOPS = 2;
  private static final int CLIENTS = 8;
  private static final int OUTSTANDING = 32;
  private static final int ROUNDS = 3;

  /** With fewer, the clients take what a second loop would need. */
  private static final int ENOUGH_PROCESSORS = 8;

  private static final String NAME = "8 clients, server with 2 loops";

  private Spread() {}

  /** Tells the rate, where there are processors for it; elsewhere what a call costs the server. */
  public static void measure(Scoreboard board, Duration turn) throws InterruptedException {
    board.section(
        NAME,
        () -> {
          List<SpreadTurn> one = new ArrayList<>();
          List<SpreadTurn> two = new ArrayList<>();
          for (int i = 0; i < ROUNDS; i++) {
            one.add(SpreadTurn.measure(1, CLIENTS, OUTSTANDING, turn, turn));
            two.add(SpreadTurn.measure(LOOPS, CLIENTS, OUTSTANDING, turn, turn));
          }
          board.tell(row(one, two));
        });
  }

  private static Row row(List<SpreadTurn> one, List<SpreadTurn> two) {
    return Runtime.getRuntime().availableProcessors() >= ENOUGH_PROCESSORS
        ? Row.atLeast(NAME, beside(one, two, SpreadTurn::callsPerSecond), "/s", 1.6)
        : Row.atMost(
            NAME + ", CPU a call", beside(one, two, SpreadTurn::cpuMicrosPerCall), "us", 1.1);
  }

  private static Beside beside(
      List<SpreadTurn> one, List<SpreadTurn> two, ToDoubleFunction<SpreadTurn> figure) {
    return Beside.of(median(two, figure), "1 loop", median(one, figure));
  }

  private static double median(List<SpreadTurn> turns, ToDoubleFunction<SpreadTurn> figure) {
    return Result.median(turns.stream().mapToDouble(figure).toArray());
  }
}
