package io.verbena.bench.command;

import io.verbena.bench.report.Comparison;
import io.verbena.bench.report.HistogramLog;
import io.verbena.bench.report.Html;
import io.verbena.bench.report.Json;
import io.verbena.bench.report.Report;
import io.verbena.bench.report.Tables;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The output files for figures, beside the terminal. */
final class OutputOptions {
  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "write all figures, for 'bench compare'")
  private @Nullable Path json;

  @Option(names = "--html", paramLabel = "FILE", description = "write a page with plots")
  private @Nullable Path html;

  @Option(names = "--hdr", paramLabel = "FILE", description = "write a log of HdrHistogram")
  private @Nullable Path hdr;

  @FunctionalInterface
  private interface Format {
    void write(Report report, Path file) throws IOException;
  }

  private Map<Path, Format> files() {
    Map<Path, Format> files = new LinkedHashMap<>();
    if (json != null) {
      files.put(json, Json::write);
    }
    if (html != null) {
      files.put(html, Html::write);
    }
    if (hdr != null) {
      files.put(hdr, HistogramLog::write);
    }
    return files;
  }

  /**
   * Checks that every file can be written, before the measurements. The contents stay. Warns if the
   * figures are kept and {@code bench compare} will find too few rounds among them.
   *
   * @param rounds the number of rounds that will be measured
   * @throws IOException if a file cannot be written; the message names the file and the reason
   */
  void check(int rounds, PrintWriter warnings) throws IOException {
    long asked = Stream.of(json, html, hdr).filter(Objects::nonNull).count();
    if (files().size() < asked) {
      throw new IOException(
          "--json, --html and --hdr need different files, but two of them have the same");
    }
    for (Path file : files().keySet()) {
      OutputFile.check(file);
    }
    if (json != null && rounds < Comparison.LEAST_ROUNDS) {
      warnings.printf(
          "--rounds %d is too few for 'bench compare', which needs %d or more on each side.%n",
          rounds, Comparison.LEAST_ROUNDS);
      warnings.flush();
    }
  }

  /**
   * Writes a report to all files, even if one of them fails.
   *
   * @throws IOException if a file cannot be written; the message names the file and the reason
   * @throws IllegalStateException after writing, if the run failed or had a weak rival
   */
  void write(Report report, PrintWriter out) throws IOException {
    out.print(Tables.of(report));
    out.flush();
    IOException failure = null;
    for (Map.Entry<Path, Format> entry : files().entrySet()) {
      try {
        entry.getValue().write(report, entry.getKey());
      } catch (IOException e) {
        failure = failure == null ? OutputFile.unwritable(entry.getKey(), e) : failure;
      }
    }
    if (failure != null) {
      throw failure;
    }
    if (!report.failure().isEmpty()) {
      throw new IllegalStateException(report.failure());
    }
    if (!report.weakRivals().isEmpty()) {
      throw new IllegalStateException(
          "no claim can rest on this run, because it had a weak rival:\n  "
              + String.join("\n  ", report.weakRivals())
              + "\nCheck this machine for other work and use a longer --warmup, or leave the rival"
              + " out.");
    }
  }
}
