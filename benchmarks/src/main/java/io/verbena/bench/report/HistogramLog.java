package io.verbena.bench.report;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.HdrHistogram.HistogramLogWriter;

/** Reports as HdrHistogram's logs, in nanoseconds, for its own tools. */
public final class HistogramLog {
  private HistogramLog() {}

  /** Writes one line for each contestant and load, tagged with both. */
  public static void write(Report report, Path file) throws IOException {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    HistogramLogWriter log = new HistogramLogWriter(text); // tells of no failure
    try {
      log.outputComment("[" + report.command() + ", started " + report.started() + "]");
      log.outputLogFormatVersion();
      log.outputLegend();
      for (Result result : report.results()) {
        var nanos = result.nanos().copy();
        // A tag ends at a comma or a space.
        String tag = result.contestant() + "/" + Tables.words(result.load());
        nanos.setTag(tag.replaceAll("[, ]+", "-"));
        log.outputIntervalHistogram(nanos);
      }
    } finally {
      log.close();
    }
    Files.write(file, text.toByteArray());
  }
}
