package io.verbena.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every command tells what it is for, and of which version it is. */
class HelpTest {
  @ParameterizedTest
  @ValueSource(strings = {"call", "demo", "demo-server", "doctor", "stat"})
  void isThereForEachCommand(String command) {
    assertThat(Main.run(command, "--help")).isZero();
    assertThat(Main.run(command, "--version")).isZero();
  }

  @Test
  void tellsItsVersion() throws Exception {
    CommandRun run = CommandRun.of("-V");
    assertThat(run.exit()).isZero();
    assertThat(run.out()).singleElement().asString().matches("verbena \\d+\\.\\d+\\.\\d+.*");
  }

  @Tag("long")
  @ParameterizedTest
  @ValueSource(strings = {"stat 12 13", "doctor --wait=-1"})
  void refusesWrongUsageInAFewWords(String words) throws Exception {
    CommandRun run = CommandRun.of(words.split(" "));
    assertThat(run.exit()).isEqualTo(2);
    assertThat(run.err()).startsWith("verbena").contains("--help' shows the usage");
    assertThat(run.err().lines()).hasSizeLessThan(4);
  }
}
