package io.verbena.cli.calibrate;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.core.NanoClock;
import io.verbena.core.bulk.cost.Costs;
import io.verbena.core.bulk.cost.CutOffs;
import io.verbena.core.link.PinningCost;
import io.verbena.core.link.PinningCosts;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.RdmaUpgradeProvider;
import io.verbena.verbs.fabric.Fabric;
import io.verbena.verbs.fabric.FabricHost;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command measures what there is, and says what there is not. */
class CalibrateCommandTest {
  private static final Costs COSTS =
      new Costs(
          0.1,
          new PinningCosts(new PinningCost(20_000, 100), new PinningCost(22_000, 400)),
          60_000);
  private static final List<Reading> READINGS =
      List.of(
          new Reading(
              "rdma (rxe0)",
              null,
              COSTS,
              CutOffs.of(COSTS),
              List.of(
                  new Reading.Trial(4096, 50_000, 100_000),
                  new Reading.Trial(1 << 20, 600_000, 900_000)),
              List.of(new Reading.Trial(1 << 20, 450_000, 300_000))),
          Reading.absent("gone", "no \"device\" here"));

  @Test
  void printsCostsAndCutOffsOfEachPathAndDrawsThem(@TempDir Path directory) throws IOException {
    Path page = directory.resolve("page.html");
    StringWriter out = new StringWriter();
    CommandLine command = new CommandLine(new CalibrateCommand()).setOut(new PrintWriter(out));
    assertThat(command.execute("--warmup=0", "--html=" + page)).isZero();
    assertThat(out.toString())
        .containsPattern("mem +\\d+\\.\\d us +\\d\\.\\d+ ns/byte +none +none +from \\d+")
        .containsPattern("tcp +\\d+\\.\\d us +\\d\\.\\d+ ns/byte +none +none +from \\d+")
        .contains("rdma");
    assertThat(Files.readString(page)).contains("<h2>tcp</h2>", "<svg", "rdma");
  }

  @Test
  void refusesBeforeItMeasuresWhatItCouldNotDo(@TempDir Path directory) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine command =
        new CommandLine(new CalibrateCommand())
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .setExecutionExceptionHandler(
                (failure, line, parsed) -> {
                  line.getErr().println(failure.getMessage());
                  return 1;
                });
    for (String time : List.of("-1", "NaN", "1e300")) {
      assertThat(command.execute("--warmup=" + time)).isEqualTo(2);
    }
    assertThat(err.toString()).contains("--warmup is a time in seconds");
    Path lost = directory.resolve("missing").resolve("page.html");
    assertThat(command.execute("--warmup=0", "--html=" + lost)).isEqualTo(1);
    assertThat(err.toString()).contains("cannot write " + lost);
    assertThat(out.toString()).as("nothing was measured").isEmpty();
  }

  @Test
  void tellsHowFarTheChosenWayIsFromTheBetterOne() {
    StringWriter out = new StringWriter();
    Readings.print(READINGS, new PrintWriter(out));
    assertThat(out.toString())
        .containsPattern(
            "rdma \\(rxe0\\) +60.0 us +0.100 ns/byte +20.0 us \\+ 0.100 us/page +22.0 us \\+ 0.400 us/page")
        .containsPattern("4.0 KiB +50.0 us +100.0 us +1.00")
        .containsPattern("1.0 MiB +600.0 us +900.0 us +1.50")
        .containsPattern("1.0 MiB +450.0 us +300.0 us +1.00")
        .contains("gone: no \"device\" here");
  }

  @Test
  void makesCallsOnEitherSideOfBothCutOffsWhereMemoryIsPinned() throws Exception {
    try (Fabric fabric = Fabric.threaded(5)) {
      FabricHost host = fabric.addHost("one", InetAddress.ofLiteral("10.9.0.1"));
      RdmaUpgradeProvider links =
          new RdmaUpgradeProvider(host, RdmaSettings.DEFAULT, NanoClock.SYSTEM);
      Reading reading = Calibration.rdma(links, Duration.ZERO).read(List.of(4096, 100_000));
      assertThat(reading.absent()).isNull();
      assertThat(reading.beside()).extracting(Reading.Trial::bytes).containsExactly(4096, 100_000);
      assertThat(reading.inPlace()).extracting(Reading.Trial::bytes).containsExactly(4096, 100_000);
      assertThat(links.counters().cacheMisses())
          .as("memory that was registered for each call")
          .isGreaterThan(24);
      assertThat(reading.costs().pinning().warm()).isNotEqualTo(PinningCost.NONE);
      assertThat(reading.costs().pinning().cold()).isNotEqualTo(PinningCost.NONE);
    }
  }

  @Test
  void printsJson() {
    assertThat(Readings.json(READINGS))
        .contains("\"path\": \"rdma (rxe0)\", \"roundTripNanos\": 60000, \"copyNanosPerByte\": 0.1")
        .contains("{\"bytes\": 4096, \"inMessageNanos\": 50000, \"besideNanos\": 100000}")
        .contains("\"pinNanos\": 20000, \"pinNanosPerPage\": 100.0")
        .contains("\"coldPinNanos\": 22000, \"coldPinNanosPerPage\": 400.0")
        .contains("{\"bytes\": 1048576, \"pooledNanos\": 450000, \"inPlaceNanos\": 300000}")
        .contains("{\"path\": \"gone\", \"absent\": \"no \\\"device\\\" here\"}");
  }
}
