package io.verbena.bench.command;

import io.verbena.bench.report.Comparison;
import io.verbena.bench.report.Json;
import io.verbena.bench.report.Report;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code bench compare}. It prints changes between two runs beyond noise. */
@Command(
    name = "compare",
    description =
        "Prints the changes between two runs beyond noise. The exit status is 1 if a figure is worse,"
            + " or if AFTER lacks a measurement of BEFORE.")
public final class CompareCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(index = "0", paramLabel = "BEFORE", description = "a file that --json wrote")
  private Path before = Path.of("");

  @Parameters(index = "1", paramLabel = "AFTER", description = "a file that --json wrote")
  private Path after = Path.of("");

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    Report old = Json.read(before);
    Report now = Json.read(after);
    List<Comparison.Row> rows = Comparison.of(old, now);
    if (rows.isEmpty()) {
      throw new IOException("the two reports have no contestant with the same load in common");
    }
    out.print(Comparison.table(rows));
    List<String> gone = Comparison.missing(old, now);
    gone.forEach(one -> out.printf("%nonly in %s: %s%n", before, one));
    Comparison.missing(now, old).forEach(one -> out.printf("%nonly in %s: %s%n", after, one));
    long worse = count(rows, Comparison.Verdict.WORSE);
    long better = count(rows, Comparison.Verdict.BETTER);
    if (count(rows, Comparison.Verdict.UNKNOWN) > 0) {
      out.printf(
          "%nToo few rounds for a comparison; use at least --rounds %d.%n",
          Comparison.LEAST_ROUNDS);
    } else if (worse + better + gone.size() == 0) {
      out.printf("%nunchanged%n");
    } else {
      String away = gone.isEmpty() ? "" : ", " + gone.size() + " gone";
      out.printf("%n%d worse, %d better%s%n", worse, better, away);
    }
    out.flush();
    return worse == 0 && gone.isEmpty() ? 0 : 1;
  }

  private static long count(List<Comparison.Row> rows, Comparison.Verdict verdict) {
    return rows.stream().filter(row -> row.verdict() == verdict).count();
  }
}
