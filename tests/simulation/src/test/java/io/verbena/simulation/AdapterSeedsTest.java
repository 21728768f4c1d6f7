package io.verbena.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.simulation.plan.PlanKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole runs in which hosts have the adapters of drivers, and every rule holds. */
class AdapterSeedsTest {
  private static Outcome run(long seed) {
    return SeedsTest.clean(new Seeds(PlanKind.ADAPTERS, false), seed);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 5121})
  void aFixedSeedIsClean(long seed) {
    run(seed);
  }

  @Test
  void randomSeedsAreClean() {
    SeedsTest.randomSeeds(AdapterSeedsTest::run);
  }

  @Test
  void aSeedMakesOneRun() {
    assertThat(run(4).hash()).isEqualTo(run(4).hash());
  }
}
