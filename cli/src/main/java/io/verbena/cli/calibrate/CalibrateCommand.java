package io.verbena.cli.calibrate;

import io.verbena.cli.OutputFile;
import io.verbena.cli.UpgradeWait;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code verbena calibrate}: costs and cut-offs of each path of this machine to itself. */
@Command(
    name = "calibrate",
    description = {
      "Measures what moving values costs on each path of this machine to itself: copying, pinning"
          + " memory, the round trip; and prints from which length on a value of a call travels"
          + " beside its message, and is sent from where it is. Sessions measure the same for"
          + " themselves; set partCutOffBytes and pinCutOffBytes to have it otherwise.",
      "Exit status: 1 where a path could not be measured, but for RDMA without a device."
    })
public final class CalibrateCommand implements Callable<Integer> {
  private static final double MOST_WARM_UP = 3600;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--json", description = "prints JSON, and nothing else")
  private boolean json;

  @Option(
      names = "--verify",
      description =
          "makes calls both ways too, and tells how far the chosen one is from the better")
  private boolean verify;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "writes a page with the curves as plots")
  private @Nullable Path html;

  @Option(
      names = "--warmup",
      paramLabel = "SECONDS",
      defaultValue = "2",
      description = "calls made before anything is measured, on each path (default: 2)")
  private double warmUp;

  @Override
  public Integer call() throws Exception {
    check();
    Duration warm = Duration.ofMillis((long) (warmUp * 1000));
    List<Calibration> calibrations =
        List.of(Calibration.memory(warm), Calibration.tcp(warm), Calibration.rdma(warm));
    List<Reading> readings = new ArrayList<>();
    for (Calibration calibration : calibrations) {
      readings.add(calibration.read(verify ? Reading.LENGTHS : List.of()));
    }
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(Readings.json(readings));
    } else {
      Readings.print(readings, out);
    }
    if (html != null) {
      Files.writeString(html, Page.of(readings));
    }
    out.flush();
    return readings.stream().allMatch(CalibrateCommand::isAsItShouldBe) ? 0 : 1;
  }

  /** Refuses what would fail only when all is measured. */
  private void check() throws IOException {
    if (!(warmUp >= 0 && warmUp <= MOST_WARM_UP)) {
      throw new CommandLine.ParameterException(
          spec.commandLine(),
          "--warmup is a time in seconds, such as 0.5 or 10: an hour at most, not " + warmUp);
    }
    if (html != null) {
      OutputFile.check(html);
    }
  }

  private static boolean isAsItShouldBe(Reading reading) {
    return reading.absent() == null
        || (reading.path().equals(Calibration.RDMA) && !UpgradeWait.hasDevice());
  }
}
