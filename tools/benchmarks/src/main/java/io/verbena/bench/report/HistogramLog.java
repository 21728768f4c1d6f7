package io.verbena.bench.report;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.HdrHistogram.HistogramLogWriter;

/** Writes reports as logs of HdrHistogram, in nanoseconds, for its tools. */
public final class HistogramLog {
  private static final double MILLIS = 1e3;

  private HistogramLog() {}

  /** Writes one line for each contestant and load, tagged with both. */
  public static void write(Report report, Path file) throws IOException {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    HistogramLogWriter log = new HistogramLogWriter(text); // it hides failures
    try {
      log.outputComment("[" + report.command() + ", started " + report.started() + "]");
      log.outputLogFormatVersion();
      log.outputLegend();
      long started = Instant.parse(report.started()).toEpochMilli();
      log.outputStartTime(started);
      for (Result result : report.results()) {
        if (result.isTold()) {
          continue;
        }
        var nanos = result.nanos().copy();
        // A tag ends at a comma or a space.
        String tag = result.contestant() + "/" + Tables.words(result.load());
        nanos.setTag(tag.replaceAll("[, ]+", "-"));
        nanos.setStartTimeStamp(started);
        nanos.setEndTimeStamp(started + Math.round(MILLIS * seconds(result)));
        log.outputIntervalHistogram(nanos);
      }
    } finally {
      log.close();
    }
    Files.write(file, text.toByteArray());
  }

  /** Returns the time of all rounds together. */
  private static double seconds(Result result) {
    return result.rounds().stream()
        .mapToDouble(round -> round.calls() / round.callsPerSecond())
        .sum();
  }
}
