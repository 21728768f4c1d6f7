package io.verbena.cli.calibrate;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.core.bulk.Costs;
import io.verbena.core.bulk.CutOffs;
import io.verbena.core.link.PinningCost;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command measures what there is, and says what there is not. */
class CalibrateCommandTest {
  private static final Costs COSTS = new Costs(0.1, new PinningCost(20_000, 100), 60_000);
  private static final List<Reading> READINGS =
      List.of(
          new Reading(
              "rdma (rxe0)",
              null,
              COSTS,
              CutOffs.of(COSTS),
              List.of(
                  new Reading.Trial(4096, 50_000, 100_000),
                  new Reading.Trial(1 << 20, 600_000, 900_000))),
          Reading.absent("gone", "no \"device\" here"));

  @Test
  void printsCostsAndCutOffsOfEachPathAndDrawsThem(@TempDir Path directory) throws IOException {
    Path page = directory.resolve("page.html");
    StringWriter out = new StringWriter();
    CommandLine command = new CommandLine(new CalibrateCommand()).setOut(new PrintWriter(out));
    assertThat(command.execute("--warm-up=0", "--html=" + page)).isZero();
    assertThat(out.toString())
        .containsPattern("mem +\\d+\\.\\d us +\\d\\.\\d+ ns/byte +none +from \\d+")
        .containsPattern("tcp +\\d+\\.\\d us +\\d\\.\\d+ ns/byte +none +from \\d+")
        .contains("rdma");
    assertThat(Files.readString(page)).contains("<h2>tcp</h2>", "<svg", "rdma");
  }

  @Test
  void tellsHowFarTheChosenWayIsFromTheBetterOne() {
    StringWriter out = new StringWriter();
    Readings.print(READINGS, new PrintWriter(out));
    assertThat(out.toString())
        .containsPattern("rdma \\(rxe0\\) +60.0 us +0.100 ns/byte +20.0 us \\+ 0.100 us/page")
        .containsPattern("4.0 KiB +50.0 us +100.0 us +1.00")
        .containsPattern("1.0 MiB +600.0 us +900.0 us +1.50")
        .contains("gone: no \"device\" here");
  }

  @Test
  void printsJson() {
    assertThat(Readings.json(READINGS))
        .contains("\"path\": \"rdma (rxe0)\", \"roundTripNanos\": 60000, \"copyNanosPerByte\": 0.1")
        .contains("{\"bytes\": 4096, \"inMessageNanos\": 50000, \"besideNanos\": 100000}")
        .contains("{\"path\": \"gone\", \"absent\": \"no \\\"device\\\" here\"}");
  }
}
