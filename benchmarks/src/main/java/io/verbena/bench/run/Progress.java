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
 * Shows how a run goes: a table of what has been measured, and below it a line of what is being
 * measured, both written over again and again; nothing where nobody looks.
 */
public final class Progress {
  private static final int WIDTH = 110;
  private static final int MOST_ROWS = 16;
  private static final String CLEAR = "\r\033[J";

  private final PrintStream out;
  private final boolean watched;
  private final Map<String, Result> measured = new LinkedHashMap<>();
  private long shown;

  /** Progress on a terminal, or none. */
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

  /** Puts what a round came to into the table. */
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

  /** Takes everything away, so that others can print. */
  void clear() {
    if (watched) {
      out.print(shown > 0 ? "\r\033[%dA\033[J".formatted(shown) : CLEAR);
      out.flush();
      shown = 0;
    }
  }
}
