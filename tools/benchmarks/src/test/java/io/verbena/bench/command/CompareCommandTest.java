package io.verbena.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.bench.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * On reports that were recorded on a quiet machine: calls of 64 bytes one at a time and puts of 1
 * MiB, 8 outstanding, each run twice; and the calls once more with 5 us added in the handler.
 */
class CompareCommandTest {
  private static Path recorded(String name) {
    URL file = CompareCommandTest.class.getResource("/recorded/" + name + ".json");
    assertThat(file).as(name).isNotNull();
    try {
      return Path.of(file.toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static int compare(String before, String after, StringWriter out) {
    return compare(recorded(before), recorded(after), out);
  }

  private static int compare(Path before, Path after, StringWriter out) {
    return Main.commandLine()
        .setOut(new PrintWriter(out))
        .execute("compare", before.toString(), after.toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"call", "put"})
  void callsARerunOfTheSameBuildUnchanged(String load) {
    StringWriter out = new StringWriter();
    assertThat(compare(load, load + "-again", out)).as(out.toString()).isZero();
    assertThat(out.toString()).endsWith("unchanged\n");
  }

  @Test
  void findsFiveMicrosecondsInAHandler() {
    StringWriter out = new StringWriter();
    assertThat(compare("call", "call-sleep", out)).as(out.toString()).isEqualTo(1);
    assertThat(out.toString()).containsPattern("calls/s.* worse").contains(", 0 better");
  }

  @Test
  void findsThatAHandicapWasTakenAway() {
    StringWriter out = new StringWriter();
    assertThat(compare("call-sleep", "call", out)).as(out.toString()).isZero();
    assertThat(out.toString()).contains("0 worse, ");
  }

  @Test
  void doesNotPassOverAContestantThatIsNotThereAnyMore(@TempDir Path folder) throws IOException {
    Path one = recorded("call");
    String alone = Files.readString(one);
    int results = alone.indexOf('[', alone.indexOf("\"results\"")) + 1;
    int end = alone.indexOf("\n  ]", results);
    String first = alone.substring(results, end);
    String rdma = first.replace("\"verbena tcp\"", "\"verbena rdma\"");
    Path two = folder.resolve("two.json");
    Files.writeString(two, alone.substring(0, end) + "," + rdma + alone.substring(end));

    StringWriter gone = new StringWriter();
    assertThat(compare(two, one, gone)).as(gone.toString()).isEqualTo(1);
    assertThat(gone.toString())
        .contains("only in " + two + ": verbena rdma")
        .endsWith("0 worse, 0 better, 1 gone\n");
    StringWriter come = new StringWriter();
    assertThat(compare(one, two, come)).as(come.toString()).isZero();
    assertThat(come.toString()).contains("only in " + two).endsWith("unchanged\n");
  }
}
