package io.verbena.bench.command;

import io.verbena.bench.report.Tables;
import io.verbena.bench.spread.SpreadRounds;
import io.verbena.bench.spread.SpreadTurn;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code bench loops}: a server with several event loops beside one with one. */
@Command(
    name = "loops",
    description = {
      "Measures a server with several event loops beside one with one, over TCP: calls of 64 bytes"
          + " by many clients, each in a process of its own, by turns.",
      "More loops do more only where processors are left for them by the clients: on few, look at"
          + " what a call costs the server."
    })
public final class LoopsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--loops",
      paramLabel = "N",
      converter = Numbers.Count.class,
      description = "how many the server has beside one; default: as many as processors")
  private int loops = Math.max(2, Runtime.getRuntime().availableProcessors());

  @Option(
      names = "--clients",
      defaultValue = "8",
      paramLabel = "N",
      converter = Numbers.Count.class,
      description = "how many clients; default: ${DEFAULT-VALUE}")
  private int clients = 8;

  @Option(
      names = {"-o", "--outstanding"},
      defaultValue = "32",
      paramLabel = "N",
      converter = Numbers.Count.class,
      description = "calls under way of each client; default: ${DEFAULT-VALUE}")
  private int outstanding = 32;

  @Option(
      names = {"-D", "--duration"},
      defaultValue = "5",
      paramLabel = "SECONDS",
      converter = Numbers.Turn.class,
      description = "how long a turn is; default: ${DEFAULT-VALUE}")
  private Duration turn = Duration.ofSeconds(5);

  @Option(
      names = "--warmup",
      defaultValue = "5",
      paramLabel = "SECONDS",
      converter = Numbers.Warmup.class,
      description = "how long clients call before each turn; default: ${DEFAULT-VALUE}")
  private Duration warmup = Duration.ofSeconds(5);

  @Option(
      names = "--rounds",
      defaultValue = "3",
      paramLabel = "N",
      converter = Numbers.Count.class,
      description = "how many turns each has; default: ${DEFAULT-VALUE}")
  private int rounds = 3;

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    SpreadRounds figures = SpreadRounds.measure(rounds, loops, clients, outstanding, warmup, turn);
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("event loops", "calls/s", "server's CPU a call, us", "its processors busy"));
    rows.add(row("1", figures::ofOne));
    rows.add(row(Integer.toString(loops), figures::ofSeveral));
    rows.add(
        List.of(
            "ratio",
            ratio(figures, SpreadTurn::callsPerSecond),
            ratio(figures, SpreadTurn::cpuMicrosPerCall),
            ratio(figures, SpreadTurn::processors)));
    out.println(Tables.table(rows));
    out.printf(
        "%d clients, %d calls of 64 bytes under way each; medians of %d turns; %d processors%n",
        clients, outstanding, rounds, Runtime.getRuntime().availableProcessors());
    out.flush();
    return 0;
  }

  private static List<String> row(
      String name, ToDoubleFunction<ToDoubleFunction<SpreadTurn>> median) {
    return List.of(
        name,
        String.format(Locale.ROOT, "%,.0f", median.applyAsDouble(SpreadTurn::callsPerSecond)),
        String.format(Locale.ROOT, "%.2f", median.applyAsDouble(SpreadTurn::cpuMicrosPerCall)),
        String.format(Locale.ROOT, "%.2f", median.applyAsDouble(SpreadTurn::processors)));
  }

  private static String ratio(SpreadRounds figures, ToDoubleFunction<SpreadTurn> figure) {
    return String.format(Locale.ROOT, "%.2f", figures.ofSeveral(figure) / figures.ofOne(figure));
  }
}
