package io.verbena.bench.command;

import io.verbena.bench.goal.Laboratory;
import io.verbena.bench.goal.Loopback;
import io.verbena.bench.goal.Row;
import io.verbena.bench.rival.Rival;
import io.verbena.bench.run.ServerProcess;
import io.verbena.bench.verbena.Route;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code bench targets}: how near each target of the project is. */
@Command(
    name = "targets",
    description = "Measures every target of the project; exits with 1 when one is short.",
    mixinStandardHelpOptions = true)
public final class TargetsCommand implements Callable<Integer> {
  /** Longer than any pause between two calls under load: the loops never wait in the kernel. */
  private static final Duration POLLING = Duration.ofSeconds(1);

  /** In turns: a rival that is not compiled yet is a weak one. */
  private static final int WARMUP = 3;

  private static final double NANOS_PER_SECOND = 1e9;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--on-device", description = "the targets of RDMA, on this host's verbs device")
  private boolean onDevice;

  @Option(
      names = {"-D", "--duration"},
      defaultValue = "2",
      paramLabel = "SECONDS",
      description = "how long a turn is; default: ${DEFAULT-VALUE}")
  private double seconds = 2;

  @Option(
      names = "--rounds",
      defaultValue = "5",
      paramLabel = "N",
      description = "how many turns each contestant has; default: ${DEFAULT-VALUE}")
  private int rounds = 5;

  @Override
  public Integer call() throws IOException, InterruptedException {
    Duration turn = Duration.ofNanos((long) (seconds * NANOS_PER_SECOND));
    List<Row> rows = onDevice ? device(turn) : loopback(turn);
    PrintWriter out = spec.commandLine().getOut();
    out.print(Row.table(rows));
    long reached = rows.stream().filter(Row::isReached).count();
    out.printf("%n%d of %d targets are reached%n", reached, rows.size());
    out.flush();
    return reached == rows.size() ? 0 : 1;
  }

  private List<Row> loopback(Duration turn) throws IOException, InterruptedException {
    ServerOptions asItComes = ServerOptions.spinning(Duration.ZERO);
    RunOptions all =
        RunOptions.of(Set.of(Route.TCP), Set.of(Rival.values()), rounds, turn.multipliedBy(WARMUP));
    try (ServerProcess process = server("127.0.0.1", asItComes);
        Bench bench = new Bench(spec, all, asItComes, process.address(), true)) {
      return new Loopback(bench::play, turn).rows();
    }
  }

  private List<Row> device(Duration turn) throws IOException, InterruptedException {
    String device = System.getenv("LAB_DEVICE");
    String address = System.getenv("LAB_ADDRESS");
    if (device == null || address == null) {
      throw new IOException(
          "LAB_DEVICE and LAB_ADDRESS must name a verbs device and its address, as in the"
              + " laboratory: './verbena bench targets --lab'");
    }
    ServerOptions polling = ServerOptions.spinning(POLLING);
    ServerOptions waiting = ServerOptions.spinning(Duration.ZERO);
    RunOptions both = RunOptions.of(Set.of(Route.TCP, Route.RDMA), Set.of(), rounds, turn);
    RunOptions rdma = RunOptions.of(Set.of(Route.RDMA), Set.of(), rounds, turn);
    try (ServerProcess first = server(address, polling);
        Bench polled = new Bench(spec, rdma, polling, first.address(), true);
        ServerProcess second = server(address, waiting);
        Bench waited = new Bench(spec, both, waiting, second.address(), true)) {
      return new Laboratory(polled::play, waited::play, device, address, turn).rows();
    }
  }

  private static ServerProcess server(String host, ServerOptions options) throws IOException {
    List<String> words = new ArrayList<>(options.words());
    words.addAll(List.of("--listen", host + ":0"));
    return ServerProcess.start(words);
  }
}
