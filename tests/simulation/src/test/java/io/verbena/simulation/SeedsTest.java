package io.verbena.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.simulation.plan.PlanKind;
import io.verbena.testkit.Seed;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole runs in which every rule holds. */
class SeedsTest {
  /** As many as there is time for; one at least, and no more without the long tests. */
  private static final long RANDOM_NANOS = Boolean.getBoolean("verbena.long") ? 2_000_000_000L : 0;

  private static void isClean(long seed) {
    Outcome _ = clean(new Seeds(PlanKind.PLAIN, false), seed);
  }

  /** Returns what became of a run, in which every rule held. */
  static Outcome clean(Seeds seeds, long seed) {
    Outcome outcome = Simulation.run(seeds.plan(seed), null);
    assertThat(outcome.violations())
        .as(
            "seed %d; see it with: ./verbena simulate --seed %d%s --trace",
            seed, seed, seeds.options())
        .isEmpty();
    return outcome;
  }

  @ParameterizedTest
  @ValueSource(longs = 3)
  void aFixedSeedIsClean(long seed) {
    isClean(seed);
  }

  /** Each of them once showed a fault. */
  @ParameterizedTest
  @Tag("long")
  @ValueSource(longs = {9, 50, 186, 217, 272, 235_946, 610_408, 2_023_164, 2_109_066, 2_208_165})
  void aSeedThatOnceWasNotIsClean(long seed) {
    isClean(seed);
  }

  @Test
  void randomSeedsAreClean() {
    randomSeeds(SeedsTest::isClean);
  }

  /** Runs as many as there is time for. */
  static void randomSeeds(LongConsumer isClean) {
    long first = Seed.random("random seeds").nextLong(1L << 40);
    long end = System.nanoTime() + RANDOM_NANOS;
    long seeds = 0;
    while (seeds == 0 || System.nanoTime() - end < 0) {
      isClean.accept(first + seeds++);
    }
    System.out.println("random seeds " + first + " to " + (first + seeds - 1) + " are clean");
  }

  @Test
  @Tag("long")
  void aSeedMakesOneRun() {
    isOneRun(4);
  }

  /** The callers of this one forget streams: the collector shall change nothing. */
  @Test
  @Tag("long")
  void aSeedWhoseCallersForgetMakesOneRun() {
    isOneRun(5033);
  }

  private static void isOneRun(long seed) {
    Outcome first = Simulation.run(seed);
    Outcome second = Simulation.run(seed);
    assertThat(second.hash()).isEqualTo(first.hash());
    assertThat(second.turns()).isEqualTo(first.turns());
    assertThat(second.calls().counts()).isEqualTo(first.calls().counts());
  }

  @Test
  void aSeedMakesEnoughHappen() {
    Outcome outcome = Simulation.run(4);
    assertThat(outcome.plan().steps()).hasSizeGreaterThan(213);
    assertThat(outcome.plan().sessions()).hasSizeGreaterThanOrEqualTo(3);
    assertThat(outcome.calls().counts()).containsKeys("answered", "moved");
    assertThat(outcome.calls().counts().keySet()).anyMatch(word -> word.endsWith("_LANDED"));
  }
}
