package io.verbena.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The refusals and the output of the command. */
class SimulateCommandTest {
  private final StringWriter err = new StringWriter();
  private final StringWriter out = new StringWriter();
  private final CommandLine command =
      new CommandLine(new SimulateCommand())
          .setErr(new PrintWriter(err))
          .setOut(new PrintWriter(out));

  @ParameterizedTest
  @ValueSource(strings = {"0", "-3"})
  void noSeedsAreRefused(String seeds) {
    assertThat(command.execute("--seeds", seeds)).isEqualTo(2);
    assertThat(err.toString()).contains("--seeds must be at least 1, not " + seeds);
  }

  @Test
  void theHelpNamesTheCommandAsItIsTyped() {
    assertThat(command.getUsageMessage()).contains("Usage: verbena simulate ");
  }

  @Test
  void hashesTellRunsApart() {
    assertThat(command.execute("--hashes", "--seed", "7", "--seeds", "2")).isZero();
    String once = out.toString();
    assertThat(command.execute("--hashes", "--seed", "7", "--seeds", "2")).isZero();

    assertThat(out).hasToString(once + once);
    assertThat(once.lines())
        .satisfiesExactly(
            first -> assertThat(first).matches("7 [0-9a-f]{16}"),
            second ->
                assertThat(second)
                    .matches("8 [0-9a-f]{16}")
                    .doesNotEndWith(once.lines().findFirst().orElseThrow().substring(2)));
  }
}
