package io.verbena.simulation;

import io.verbena.simulation.plan.Plan;
import io.verbena.simulation.plan.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Finds a small plan that breaks a rule, from a large one (delta debugging). It leaves out steps,
 * fewer each time, as long as the rule stays broken. Then it leaves out unused sessions.
 */
final class Shrinker {
  private final Predicate<Plan> breaks;
  private final long end;

  /**
   * Makes a shrinker.
   *
   * @param breaks returns whether a plan breaks the rule; called often
   * @param limit the time limit, which the search hardly exceeds
   */
  @SuppressWarnings("SystemNanoTime") // the time bounds the search, and decides nothing else
  Shrinker(Predicate<Plan> breaks, Duration limit) {
    this.breaks = breaks;
    this.end = System.nanoTime() + limit.toNanos();
  }

  /** Makes a shrinker that runs plans and looks for one rule. */
  static Shrinker of(String rule, Duration limit) {
    return new Shrinker(
        plan ->
            Simulation.run(plan, null).violations().stream()
                .anyMatch(violation -> violation.rule().equals(rule)),
        limit);
  }

  @SuppressWarnings("SystemNanoTime")
  private boolean hasTime() {
    return System.nanoTime() - end < 0;
  }

  /** Returns the smallest plan that was found to break the rule. */
  Plan shrink(Plan plan) {
    Plan smallest = plan;
    int parts = 2;
    while (hasTime() && !smallest.steps().isEmpty() && parts <= smallest.steps().size()) {
      Plan smaller = withoutSome(smallest, parts);
      if (smaller.steps().size() < smallest.steps().size()) {
        parts = Math.max(2, parts - 1);
        smallest = smaller;
      } else if (parts == smallest.steps().size()) {
        break; // no single step can be left out
      } else {
        parts = Math.min(2 * parts, smallest.steps().size());
      }
    }
    return withoutIdleSessions(smallest);
  }

  /** Divides the steps into parts, and leaves out each part that the violation does not need. */
  private Plan withoutSome(Plan plan, int parts) {
    Plan smallest = plan;
    int size = Math.ceilDiv(plan.steps().size(), parts);
    for (int from = 0; from < smallest.steps().size() && hasTime(); ) {
      List<Step> kept = new ArrayList<>(smallest.steps());
      kept.subList(from, Math.min(from + size, kept.size())).clear();
      Plan candidate = smallest.withSteps(kept);
      if (breaks.test(candidate)) {
        smallest = candidate;
      } else {
        from += size;
      }
    }
    return smallest;
  }

  private Plan withoutIdleSessions(Plan plan) {
    Plan smallest = plan;
    for (int session = plan.sessions().size() - 1; session >= 0 && hasTime(); session--) {
      int number = session;
      boolean idle = smallest.steps().stream().noneMatch(step -> step.session() == number);
      if (idle && smallest.sessions().size() > 1) {
        Plan candidate = smallest.withoutSession(session);
        smallest = breaks.test(candidate) ? candidate : smallest;
      }
    }
    return smallest;
  }
}
