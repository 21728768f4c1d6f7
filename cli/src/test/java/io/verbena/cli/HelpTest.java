package io.verbena.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every command tells what it is for. */
class HelpTest {
  @ParameterizedTest
  @ValueSource(strings = {"calibrate", "demo", "demo-server", "doctor", "stat"})
  void isThereForEachCommand(String command) {
    assertThat(Main.run(command, "--help")).isZero();
  }
}
