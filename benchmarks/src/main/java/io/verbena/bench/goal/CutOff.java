package io.verbena.bench.goal;

import io.verbena.bench.report.Tables;
import io.verbena.cli.calibrate.Calibration;
import io.verbena.cli.calibrate.Reading;
import io.verbena.cli.calibrate.Reading.Trial;
import io.verbena.core.bulk.CutOffs;
import java.io.IOException;
import java.util.Comparator;

/** The target for the cut-off that a path measures: beside the better way, at every length. */
public final class CutOff {
  private static final double LIMIT = 1.1;
  private static final double NANOS_PER_MICRO = 1e3;

  private CutOff() {}

  /** Tells it for the length at which it is worst. */
  public static void measure(Scoreboard board, String path, Calibration calibration)
      throws InterruptedException {
    String name = "measured cut-off over " + path + ", at its worst";
    board.section(
        name,
        () -> {
          Reading reading = read(calibration);
          if (reading.absent() != null) {
            throw new IllegalStateException(reading.absent());
          }
          CutOffs cutOffs = reading.cutOffs();
          Trial worst =
              reading.trials().stream()
                  .max(Comparator.comparingDouble(trial -> trial.chosenToBest(cutOffs)))
                  .orElseThrow();
          double chosen = worst.chosenNanos(cutOffs) / NANOS_PER_MICRO;
          double best = worst.bestNanos() / NANOS_PER_MICRO;
          String rival = "best, " + Tables.bytes(worst.bytes());
          board.tell(Row.atMost(name, Beside.of(chosen, rival, best), "us", LIMIT));
        });
  }

  private static Reading read(Calibration calibration) throws IOException, InterruptedException {
    try {
      return calibration.read(true);
    } catch (InterruptedException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e.getMessage(), e);
    }
  }
}
