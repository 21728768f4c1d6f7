package io.verbena.simulation.plan;

import io.verbena.simulation.plan.Step.Call;
import io.verbena.simulation.plan.Step.CallKind;
import io.verbena.simulation.plan.Step.Chain;
import io.verbena.simulation.plan.Step.Move;
import io.verbena.simulation.plan.Step.Stream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Draws a plan from a seed in which blocking callers make calls one after the other. A few async
 * calls and objects of the client's come between them. Servers call nobody, since a loop whose
 * session serves is never stepped by callers.
 */
final class CallerPlanner {
  private static final int CHAINS = 12;
  private static final long FIRST_OP = 100_000;
  private static final long OPS = 1_000;
  private static final long MILLI = 1_000_000;

  private CallerPlanner() {}

  static Plan of(long seed) {
    SplittableRandom random = new SplittableRandom(seed ^ 0xca11_e25L);
    Plan drawn = Planner.of(seed);
    List<Step> steps = new ArrayList<>();
    long last = 0;
    for (Step step : drawn.steps()) {
      last = step.at();
      boolean kept =
          switch (step) {
            case Call call -> call.kind() != CallKind.TOUR && random.nextInt(6) == 0;
            case Move move -> !move.kind().isBack() && random.nextInt(3) == 0;
            case Stream _ -> false;
            default -> true;
          };
      if (kept) {
        steps.add(step);
      }
    }
    long[] gaps = {0, 50_000, 500_000, 4 * MILLI};
    for (int i = 0; i < CHAINS; i++) {
      steps.add(
          new Chain(
              random.nextLong(last + 1),
              random.nextInt(drawn.sessions().size()),
              FIRST_OP + OPS * i,
              20 + random.nextInt(60),
              gaps[random.nextInt(gaps.length)],
              random.nextInt(4) == 0 ? 5 * MILLI + random.nextLong(100 * MILLI) : 0));
    }
    steps.sort(Comparator.comparingLong(Step::at));
    return drawn.withSteps(steps);
  }
}
