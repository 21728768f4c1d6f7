package io.verbena.bench.goal;

import io.verbena.bench.report.Tables;
import io.verbena.cli.calibrate.Calibration;
import io.verbena.cli.calibrate.Reading;
import io.verbena.cli.calibrate.Reading.Trial;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;

/** The target for the cut-offs that a path measures: beside the better way, at every length. */
public final class CutOff {
  /** Beside the better way, on processors of one's own. */
  public static final double LIMIT = 1.1;

  /** The same where processors are emulated, and no two turns take the same time. */
  public static final double LIMIT_IN_LABORATORY = 1.3;

  private static final double NANOS_PER_MICRO = 1e3;

  private CutOff() {}

  /** Tells each for the length at which it is worst. */
  public static void measure(Scoreboard board, String path, double limit, Calibration calibration)
      throws InterruptedException {
    String name = name("", path);
    board.section(
        name,
        () -> {
          Reading reading = read(calibration);
          if (reading.absent() != null) {
            throw new IllegalStateException(reading.absent());
          }
          board.tell(worst(name, limit, reading.beside(), reading.cutOffs().beside()));
          if (!reading.inPlace().isEmpty()) {
            String inPlace = name(" of sending in place", path);
            board.tell(worst(inPlace, limit, reading.inPlace(), reading.cutOffs().inPlace()));
          }
        });
  }

  private static String name(String of, String path) {
    return "measured cut-off" + of + " over " + path + ", at its worst";
  }

  private static Row worst(String name, double limit, List<Trial> trials, long cutOff) {
    Trial worst =
        trials.stream()
            .max(Comparator.comparingDouble(trial -> trial.chosenToBest(cutOff)))
            .orElseThrow();
    double chosen = worst.chosenNanos(cutOff) / NANOS_PER_MICRO;
    double best = worst.bestNanos() / NANOS_PER_MICRO;
    String rival = "best, " + Tables.bytes(worst.bytes());
    return Row.atMost(name, Beside.of(chosen, rival, best), "us", limit);
  }

  private static Reading read(Calibration calibration) throws IOException, InterruptedException {
    try {
      return calibration.read(Reading.LENGTHS);
    } catch (InterruptedException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e.getMessage(), e);
    }
  }
}
