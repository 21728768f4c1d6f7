package io.verbena.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole runs in which ends reach memory that others expose, and every rule holds. */
class RegionSeedsTest {
  private static final long RANDOM_NANOS = Boolean.getBoolean("verbena.long") ? 2_000_000_000L : 0;

  private static Outcome run(long seed) {
    Outcome outcome = Simulation.run(Simulation.plan(seed, true), null);
    assertThat(outcome.violations())
        .as("seed %d; see it with: ./verbena simulate --regions --seed %d --trace", seed, seed)
        .isEmpty();
    return outcome;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void aFixedSeedIsClean(long seed) {
    run(seed);
  }

  /** Each of them once showed a fault. */
  @ParameterizedTest
  @ValueSource(longs = {2477})
  void aSeedThatOnceWasNotIsClean(long seed) {
    run(seed);
  }

  @Test
  void randomSeedsAreClean() {
    long first = new SplittableRandom().nextLong(1L << 40);
    long end = System.nanoTime() + RANDOM_NANOS;
    long seeds = 0;
    while (seeds == 0 || System.nanoTime() - end < 0) {
      run(first + seeds++);
    }
    System.out.println("random seeds " + first + " to " + (first + seeds - 1) + " are clean");
  }

  @Test
  void aSeedMakesOneRunInWhichMuchHappens() {
    Outcome first = run(4);
    assertThat(run(4).hash()).isEqualTo(first.hash());
    assertThat(first.coverage().counts()).containsKeys("ADD", "EXCHANGE", "GET_PAIR", "ended");
    assertThat(first.calls().counts()).containsKey("read by a device");
  }
}
