package io.verbena.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.bench.Instruments;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The command offers every load to both servers. How fast they are is for its reader. */
@Tag("long")
class OverloadCommandTest {
  @Test
  void printsARowForEachLoad() {
    StringWriter printed = new StringWriter();
    int status =
        Instruments.commandLine()
            .setOut(new PrintWriter(printed))
            .execute("overload", "--seconds", "1");
    assertThat(status).isZero();
    assertThat(printed.toString())
        .containsPattern("(?s)with a limit.*10\\.0 x .*without.*10\\.0 x ");
  }
}
