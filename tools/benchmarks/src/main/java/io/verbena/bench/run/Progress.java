package io.verbena.bench.run;

import io.verbena.bench.load.Load;
import io.verbena.bench.report.Result;
import io.verbena.bench.report.Tables;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Shows the progress of a run on a terminal: a table of results, and a line about the current
 * measurement. Both are overwritten repeatedly. Without a terminal, nothing is shown.
 */
public final class Progress {
  private static final int WIDTH = 110;
  private static final int MOST_ROWS = 16;
  private static final String CLEAR = "\r\033[J";

  private final PrintStream out;
  private final boolean watched;
  private final Map<String, Result> measured = new LinkedHashMap<>();
  private long shown;

  /** Makes the progress of a run. It is shown only if {@code watched}. */
  public Progress(PrintStream out, boolean watched) {
    this.out = out;
    this.watched = watched;
  }

  void show(String contestant, Load load, String stage, double callsPerSecond) {
    if (watched) {
      String line =
          String.format(
              Locale.ROOT,
              "%s, %s, %s: %,.0f calls/s",
              contestant,
              Tables.words(load),
              stage,
              callsPerSecond);
      out.printf("\r%-" + WIDTH + "." + WIDTH + "s", line);
      out.flush();
    }
  }

  /** Shows the results after a round in the table. */
  void table(List<Result> results) {
    if (watched) {
      results.forEach(
          result -> measured.put(result.contestant() + ", " + Tables.words(result.load()), result));
      clear();
      List<Result> rows = new ArrayList<>(measured.values());
      String text = Tables.speeds(rows.subList(Math.max(0, rows.size() - MOST_ROWS), rows.size()));
      shown = text.lines().count();
      out.print(text);
      out.flush();
    }
  }

  /** Removes the progress, so that other text can be printed. */
  void clear() {
    if (watched) {
      out.print(shown > 0 ? "\r\033[%dA\033[J".formatted(shown) : CLEAR);
      out.flush();
      shown = 0;
    }
  }
}
