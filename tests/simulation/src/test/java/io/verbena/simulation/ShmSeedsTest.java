package io.verbena.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.simulation.plan.PlanKind;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whole runs in which sessions upgrade to shared memory, and every rule holds. */
@EnabledOnOs(OS.LINUX)
class ShmSeedsTest {
  private static Outcome run(PlanKind kind, long seed) {
    return SeedsTest.clean(new Seeds(kind, true), seed);
  }

  @ParameterizedTest
  @CsvSource({"PLAIN, 1", "REGIONS, 2", "COMPRESSED, 3", "PLAIN, 501140", "PLAIN, 503045"})
  void aFixedSeedIsClean(PlanKind kind, long seed) {
    run(kind, seed);
  }

  @Test
  @Tag("long")
  void randomSeedsAreClean() {
    SeedsTest.randomSeeds(seed -> run(PlanKind.PLAIN, seed));
    SeedsTest.randomSeeds(seed -> run(PlanKind.REGIONS, seed));
  }

  @Test
  void aSeedMakesOneRunInWhichMuchHappens() {
    Outcome first = run(PlanKind.PLAIN, 4);
    assertThat(run(PlanKind.PLAIN, 4).hash()).isEqualTo(first.hash());
    assertThat(first.calls().counts()).containsKeys("answered", "moved");
    assertThat(first.coverage().counts().keySet())
        .anyMatch(cell -> cell.startsWith("SHM_") && cell.contains(" x BETTER"));
  }
}
