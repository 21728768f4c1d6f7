package io.verbena.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Whoever runs nothing is not told that all went well. */
class SimulateCommandTest {
  private final StringWriter err = new StringWriter();
  private final CommandLine command =
      new CommandLine(new SimulateCommand()).setErr(new PrintWriter(err));

  @ParameterizedTest
  @ValueSource(strings = {"0", "-3"})
  void noSeedsAreRefused(String seeds) {
    assertThat(command.execute("--seeds", seeds)).isEqualTo(2);
    assertThat(err.toString()).contains("--seeds is at least 1, not " + seeds);
  }

  @Test
  void theHelpNamesTheCommandAsItIsTyped() {
    assertThat(command.getUsageMessage()).contains("Usage: verbena simulate ");
  }
}
