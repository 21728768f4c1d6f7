package io.verbena.bench.command;

import io.verbena.api.Priority;
import io.verbena.bench.overload.Overload;
import io.verbena.core.ConcurrencyLimit;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code bench overload}: what a server does that is offered more than it can do. */
@Command(
    name = "overload",
    description = {
      "Offers a server of bounded capacity 1 to 10 times of what it can do, with a concurrency limit"
          + " and without: answers within their deadline, and how long they took by priority.",
      "Over TCP, in one process. The server does 8 calls at a time, 10 ms each; the deadline is"
          + " 500 ms. One call in ten is critical, five are normal, four of the background."
    })
public final class OverloadCommand implements Callable<Integer> {
  private static final List<Double> LOADS = List.of(0.5, 1.0, 2.0, 5.0, 10.0);

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--seconds",
      defaultValue = "10",
      paramLabel = "N",
      converter = Numbers.Count.class,
      description =
          "for so long each load counts, and half of it before; default: ${DEFAULT-VALUE}")
  private int seconds = 10;

  @Override
  public Integer call() throws InterruptedException {
    print("with a limit", ConcurrencyLimit.DEFAULT);
    print("without", null);
    return 0;
  }

  private void print(String title, @Nullable ConcurrencyLimit limit) throws InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        "%-13s %9s %9s  %8s %8s %8s  %7s %7s %7s%n",
        title,
        "offered/s",
        "in time/s",
        "p99 crit",
        "normal",
        "backgr",
        "taken",
        "normal",
        "backgr");
    try (Overload overload = new Overload(limit)) {
      overload.offer(1, 0, Math.min(seconds, 5)); // warm-up
      for (double load : LOADS) {
        Overload.Outcome one = overload.offer(load, seconds / 2.0, seconds);
        out.printf(
            Locale.ROOT,
            "%9.1f x   %9.0f %9.0f  %s  %s%n",
            load,
            one.offered(),
            one.done(),
            cells("%5.1f ms", one::p99),
            cells("%6.1f%%", priority -> 100 * one.taken(priority)));
        out.flush();
      }
    }
    out.println();
    out.flush();
  }

  private interface Figure {
    double of(Priority priority);
  }

  private static String cells(String format, Figure figure) {
    StringBuilder cells = new StringBuilder();
    for (Priority one : Priority.values()) {
      cells.append(cells.isEmpty() ? "" : " ");
      cells.append(String.format(Locale.ROOT, format, figure.of(one)));
    }
    return cells.toString();
  }
}
