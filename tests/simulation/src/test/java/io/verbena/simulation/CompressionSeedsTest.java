package io.verbena.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.simulation.plan.PlanKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole runs in which messages are compressed, and every rule holds. */
class CompressionSeedsTest {
  private static Outcome run(long seed) {
    return SeedsTest.clean(new Seeds(PlanKind.COMPRESSED, false), seed);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void aFixedSeedIsClean(long seed) {
    run(seed);
  }

  @Test
  void randomSeedsAreClean() {
    SeedsTest.randomSeeds(CompressionSeedsTest::run);
  }

  @Test
  void aSeedMakesOneRun() {
    assertThat(run(4).hash()).isEqualTo(run(4).hash());
  }
}
