package io.verbena.core;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Settings that no client or server can have are refused where they are made. */
class BuilderTest {
  @Test
  void refusesMemoryThatIsNone() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> VerbenaClient.builder().bulkMemoryBytes(-5))
        .withMessage("bulkMemoryBytes is at least 1, not -5");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> VerbenaClient.builder().slotMemoryBytes(0))
        .withMessage("slotMemoryBytes is at least 1, not 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> VerbenaServer.builder().maxAssemblyBytes(0))
        .withMessage("maxAssemblyBytes is at least 1, not 0");
  }

  @Test
  void refusesTimesThatCannotBe() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> VerbenaClient.builder().connectTimeout(Duration.ofSeconds(-1)))
        .withMessage("connectTimeout is 1 ms to a day, not PT-1S");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> VerbenaServer.builder().drainTime(Duration.ofDays(400)))
        .withMessage("drainTime is 0 to a day, not PT9600H");
  }
}
