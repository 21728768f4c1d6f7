package io.verbena.bench.run;

import io.verbena.bench.load.Load;
import io.verbena.bench.report.Tables;
import java.io.PrintStream;
import java.util.Locale;

/** Shows how a run goes, in one line that is written over; nothing where nobody looks. */
public final class Progress {
  private static final int WIDTH = 110;

  private final PrintStream out;
  private final boolean watched;

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

  void clear() {
    if (watched) {
      out.printf("\r%" + WIDTH + "s\r", "");
      out.flush();
    }
  }
}
