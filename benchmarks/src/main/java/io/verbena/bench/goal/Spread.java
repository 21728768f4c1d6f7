package io.verbena.bench.goal;

import io.verbena.bench.spread.SpreadRounds;
import io.verbena.bench.spread.SpreadTurn;
import java.time.Duration;
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
          SpreadRounds rounds =
              SpreadRounds.measure(ROUNDS, LOOPS, CLIENTS, OUTSTANDING, turn, turn);
          board.tell(row(rounds));
        });
  }

  private static Row row(SpreadRounds rounds) {
    return Runtime.getRuntime().availableProcessors() >= ENOUGH_PROCESSORS
        ? Row.atLeast(NAME, beside(rounds, SpreadTurn::callsPerSecond), "/s", 1.6)
        : Row.atMost(
            NAME + ", CPU a call", beside(rounds, SpreadTurn::cpuMicrosPerCall), "us", 1.1);
  }

  private static Beside beside(SpreadRounds rounds, ToDoubleFunction<SpreadTurn> figure) {
    return Beside.of(rounds.ofSeveral(figure), "1 loop", rounds.ofOne(figure));
  }
}
