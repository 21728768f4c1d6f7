package io.verbena.bench.command;

import io.verbena.bench.report.HistogramLog;
import io.verbena.bench.report.Html;
import io.verbena.bench.report.Json;
import io.verbena.bench.report.Report;
import io.verbena.bench.report.Tables;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where the figures go, besides the terminal. */
final class OutputOptions {
  @Option(names = "--json", paramLabel = "FILE", description = "all figures, for 'bench compare'")
  private @Nullable Path json;

  @Option(names = "--html", paramLabel = "FILE", description = "one page with plots")
  private @Nullable Path html;

  @Option(names = "--hdr", paramLabel = "FILE", description = "HdrHistogram's log")
  private @Nullable Path hdr;

  /**
   * Writes a report.
   *
   * @throws IllegalStateException when all is written, if no claim can rest on it
   */
  void write(Report report, PrintWriter out) throws IOException {
    out.print(Tables.of(report));
    out.flush();
    if (json != null) {
      Json.write(report, json);
    }
    if (html != null) {
      Html.write(report, html);
    }
    if (hdr != null) {
      HistogramLog.write(report, hdr);
    }
    if (!report.weakRivals().isEmpty()) {
      throw new IllegalStateException(
          "no claim can rest on this run, for it had a weak rival:\n  "
              + String.join("\n  ", report.weakRivals())
              + "\nSee what else this machine does, and warm up for longer (--warmup), or leave the"
              + " rival out.");
    }
  }
}
