package io.verbena.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.simulation.check.Violation;
import io.verbena.simulation.plan.Plan;
import io.verbena.simulation.plan.Planner;
import io.verbena.simulation.plan.Step;
import io.verbena.testkit.planted.PlantedLoader;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Large plans that break a rule become small ones that break it too. */
class ShrinkerTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  private static Set<Long> ops(Plan plan) {
    return plan.steps().stream()
        .filter(Step.Call.class::isInstance)
        .map(step -> ((Step.Call) step).op())
        .collect(Collectors.toSet());
  }

  @Test
  void findsTheStepsThatMatterAlone() {
    Set<Long> culprits = Set.of(17L, 18L, 93L, 180L);
    Plan plan = Planner.of(7);
    Plan small = new Shrinker(some -> ops(some).containsAll(culprits), LONG).shrink(plan);
    assertThat(small.steps()).hasSize(4);
    assertThat(ops(small)).isEqualTo(culprits);
  }

  @Test
  void leavesOutSessionsThatDoNothing() {
    Plan plan = Planner.of(7);
    assertThat(plan.sessions()).hasSizeGreaterThan(1);
    Plan small = new Shrinker(some -> !some.steps().isEmpty(), LONG).shrink(plan);
    assertThat(small.sessions()).hasSize(1);
    assertThat(small.steps()).hasSize(1);
    assertThat(small.steps().getFirst().session()).isZero();
  }

  @Test
  void givesBackWhatItHasWhenItsTimeIsOver() {
    Plan plan = Planner.of(7);
    assertThat(new Shrinker(some -> true, Duration.ZERO).shrink(plan)).isEqualTo(plan);
  }

  /** Called by reflection, in a loader of its own: rule, rule of the shrunk run, its steps. */
  static List<String> shrunk(int seeds) {
    for (long seed = 1; seed <= seeds; seed++) {
      Outcome outcome = Simulation.run(seed);
      if (!outcome.isClean()) {
        String rule = outcome.violations().getFirst().rule();
        Plan small = Shrinker.of(rule, Duration.ofSeconds(12)).shrink(outcome.plan());
        List<Violation> again = Simulation.run(small, null).violations();
        return List.of(rule, again.getFirst().rule(), "" + small.steps().size());
      }
    }
    return List.of("none is broken");
  }

  @Test
  @Tag("long")
  void aPlantedFaultIsShrunkToAFewSteps() throws Exception {
    Planted fault = Planted.STALE_CLOCK;
    PlantedLoader loader = new PlantedLoader(fault.slips());
    Method shrunk =
        loader.loadClass(ShrinkerTest.class.getName()).getDeclaredMethod("shrunk", int.class);
    shrunk.setAccessible(true);
    @SuppressWarnings("unchecked")
    List<String> found = (List<String>) shrunk.invoke(null, fault.seeds());
    System.out.println("shrunk to " + found.getLast() + " steps: " + found.getFirst());
    assertThat(found).hasSize(3);
    assertThat(found.get(1)).isEqualTo(found.getFirst());
    assertThat(Integer.parseInt(found.getLast())).isBetween(1, 60);
  }
}
