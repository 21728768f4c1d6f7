package io.verbena.bench.spread;

import io.verbena.bench.report.Result;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * A server with one event loop and one with several, by turns.
 *
 * @param one the turns of the first
 * @param several those of the other
 */
public record SpreadRounds(List<SpreadTurn> one, List<SpreadTurn> several) {
  /**
   * Measures so many turns of each.
   *
   * @param loops of the server that has several
   * @param clients how many there are, with so many calls under way each
   * @param warmup how long they call before they are counted
   */
  public static SpreadRounds measure(
      int rounds, int loops, int clients, int outstanding, Duration warmup, Duration turn)
      throws IOException, InterruptedException {
    List<SpreadTurn> one = new ArrayList<>();
    List<SpreadTurn> several = new ArrayList<>();
    for (int i = 0; i < rounds; i++) {
      one.add(SpreadTurn.measure(1, clients, outstanding, warmup, turn));
      several.add(SpreadTurn.measure(loops, clients, outstanding, warmup, turn));
    }
    return new SpreadRounds(one, several);
  }

  /** Returns the median of a figure of the server with one loop. */
  public double ofOne(ToDoubleFunction<SpreadTurn> figure) {
    return median(one, figure);
  }

  /** Returns the median of a figure of the server with several. */
  public double ofSeveral(ToDoubleFunction<SpreadTurn> figure) {
    return median(several, figure);
  }

  private static double median(List<SpreadTurn> turns, ToDoubleFunction<SpreadTurn> figure) {
    return Result.median(turns.stream().mapToDouble(figure).toArray());
  }
}
