package io.verbena.bench.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.bench.report.Json;
import io.verbena.bench.report.Report;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** On a report that was recorded. */
class OutputOptionsTest {
  @TempDir private Path folder = Path.of("");

  private final StringWriter printed = new StringWriter();

  private static Report report(String... weakRivals) throws Exception {
    var recorded = OutputOptionsTest.class.getResource("/recorded/call.json");
    assertThat(recorded).isNotNull();
    Report report = Json.read(Path.of(recorded.toURI()));
    return new Report(
        report.started(),
        report.command(),
        report.client(),
        report.server(),
        report.versions(),
        report.absent(),
        report.results(),
        List.of(weakRivals),
        "");
  }

  private static OutputOptions options(String... words) {
    return CommandLine.populateCommand(new OutputOptions(), words);
  }

  @Test
  void failARunWithAWeakRivalWhenAllIsWritten() throws Exception {
    Path json = folder.resolve("bench.json");
    Path html = folder.resolve("bench.html");
    Path hdr = folder.resolve("bench.hlog");
    OutputOptions options = options("--json=" + json, "--html=" + html, "--hdr=" + hdr);
    Report weak = report("call 64 B x256: grpc has 7 calls/s");
    assertThatThrownBy(() -> options.write(weak, new PrintWriter(printed)))
        .hasMessageContaining("no claim can rest on this run")
        .hasMessageContaining("grpc has 7 calls/s");
    assertThat(printed.toString()).contains("contestant", "p99.9");
    assertThat(Json.read(json).weakRivals()).isEqualTo(weak.weakRivals());
    assertThat(Files.readString(html)).contains("Weak rival", "grpc has 7 calls/s");
    assertThat(hdr).isNotEmptyFile();
  }

  @Test
  void sayNothingOfRivalsThatDoWhatTheyCan() throws Exception {
    options().write(report(), new PrintWriter(printed));
    assertThat(printed.toString()).contains("contestant").doesNotContain("rival");
  }
}
