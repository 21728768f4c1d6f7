package io.verbena.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.bench.Main;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

/** The command as a user runs it, with turns that are too short to say anything. */
class LoopsCommandTest {
  @Test
  void measuresBothServersAndComparesThem() {
    StringWriter out = new StringWriter();
    int exit =
        Main.commandLine()
            .setOut(new PrintWriter(out))
            .execute("loops", "--clients=1", "--rounds=1", "--warmup=0.1", "--duration=0.3");
    assertThat(exit).isZero();
    assertThat(out.toString())
        .contains("event loops", "ratio", "1 clients")
        .containsPattern("(?m)^1 +[1-9]");
  }
}
