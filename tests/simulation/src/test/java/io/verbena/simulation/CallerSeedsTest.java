package io.verbena.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.simulation.plan.PlanKind;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whole runs in which callers block and step event loops, and every rule holds. */
class CallerSeedsTest {
  private static Outcome run(boolean shm, long seed) {
    return SeedsTest.clean(new Seeds(PlanKind.CALLERS, shm), seed);
  }

  @ParameterizedTest
  @CsvSource({"false, 1", "false, 2", "true, 3"})
  void aFixedSeedIsClean(boolean shm, long seed) {
    Outcome _ = run(shm, seed);
  }

  @Test
  @Tag("long")
  void randomSeedsAreClean() {
    SeedsTest.randomSeeds(seed -> run(false, seed));
    SeedsTest.randomSeeds(seed -> run(true, seed));
  }

  @Test
  void aSeedMakesOneRun() {
    Outcome first = run(false, 4);
    Outcome second = run(false, 4);
    assertThat(second.hash()).isEqualTo(first.hash());
    assertThat(second.turns()).isEqualTo(first.turns());
  }

  @Test
  void callersStep() {
    long stepped = 0;
    for (long seed = 1; seed <= 4; seed++) {
      stepped += run(false, seed).calls().counts().getOrDefault("stepped", 0L);
    }
    assertThat(stepped).isGreaterThan(100);
  }
}
