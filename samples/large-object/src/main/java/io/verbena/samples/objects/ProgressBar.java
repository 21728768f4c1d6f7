package io.verbena.samples.objects;

import io.verbena.api.bulk.Transfer.Progress;
import java.io.PrintStream;

/** One line of a terminal, drawn repeatedly. */
final class ProgressBar {
  private static final int WIDTH = 30;

  private final PrintStream out;
  private final String name;

  ProgressBar(PrintStream out, String name) {
    this.out = out;
    this.name = name;
  }

  void draw(Progress progress) {
    out.print('\r' + line(progress));
    out.flush();
  }

  void done(Progress progress) {
    out.println('\r' + line(progress));
  }

  private String line(Progress progress) {
    double part =
        progress.total() > 0 ? (double) progress.bytes() / progress.total() : progress.total() + 1;
    int full = (int) (part * WIDTH);
    return "%s [%s%s] %3d %%  %,.1f MiB/s"
        .formatted(
            name,
            "#".repeat(full),
            " ".repeat(WIDTH - full),
            (int) (part * 100),
            progress.bytesPerSecond() / (1 << 20));
  }
}
