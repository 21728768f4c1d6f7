package io.verbena.bench.command;

import io.verbena.bench.goal.BusyHost;
import io.verbena.bench.goal.CountedCosts;
import io.verbena.bench.goal.GrpcTargets;
import io.verbena.bench.goal.Laboratory;
import io.verbena.bench.goal.Loopback;
import io.verbena.bench.goal.Neighbours;
import io.verbena.bench.goal.Player;
import io.verbena.bench.goal.Scoreboard;
import io.verbena.bench.goal.StreamTargets;
import io.verbena.bench.rival.Rival;
import io.verbena.bench.run.ServerProcess;
import io.verbena.bench.verbena.Idling;
import io.verbena.bench.verbena.Route;
import java.io.IOException;
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
    description =
        "Measures every target of the project, in 20 minutes at most; exits with 1 when one is"
            + " short.")
public final class TargetsCommand implements Callable<Integer> {
  /** Sections take up to two minutes, and the laboratory's boot a part of one. */
  private static final Duration MOST = Duration.ofMinutes(17);

  /**
   * At least twice: a JVM on an emulated processor takes half a minute to compile what a call
   * needs.
   */
  private static final Duration DEVICE_WARMUP = Duration.ofSeconds(5);

  /**
   * Longer than any pause under load, so that no loop waits in the kernel then; and no longer: who
   * never waits takes the processors from those whose turn it is.
   */
  private static final Idling POLLING = new Idling(Duration.ofMillis(5), false);

  /** In one stream of 1 KiB each: a good part of a second. */
  private static final int STREAM_ITEMS = 60_000;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--on-device", description = "the targets of RDMA, on this host's verbs device")
  private boolean onDevice;

  @Option(
      names = "--busy",
      description =
          "the targets of shared memory beside TCP, while twice as many processes as processors"
              + " keep the host busy")
  private boolean busy;

  @Option(
      names = {"-D", "--duration"},
      defaultValue = "1",
      paramLabel = "SECONDS",
      converter = Numbers.Turn.class,
      description = "the duration of a turn; default: ${DEFAULT-VALUE}")
  private Duration turn = Duration.ofSeconds(1);

  @Option(
      names = "--rounds",
      defaultValue = "5",
      paramLabel = "N",
      converter = Numbers.Count.class,
      description = "the number of turns of each contestant; default: ${DEFAULT-VALUE}")
  private int rounds = 5;

  @Override
  public Integer call() throws IOException, InterruptedException {
    Scoreboard board = new Scoreboard(spec.commandLine().getOut(), MOST);
    if (onDevice) {
      device(board);
    } else if (busy) {
      busy(board);
    } else {
      loopback(board);
    }
    return board.close() ? 0 : 1;
  }

  private void loopback(Scoreboard board) throws InterruptedException {
    RunOptions all =
        RunOptions.of(
            Set.of(Route.TCP, Route.SHM), Set.of(Rival.values()), rounds, turn.multipliedBy(2));
    ServerOptions asItComes = ServerOptions.idling(Idling.AS_IT_COMES);
    board.section(
        "on loopback",
        () ->
            against(
                "127.0.0.1",
                all,
                asItComes,
                player -> {
                  new Loopback(player, turn, board).measure();
                  new GrpcTargets(board).measureCalls(player, turn);
                }));
    new StreamTargets(board, STREAM_ITEMS, rounds).measure();
    new GrpcTargets(board).measureStreams(STREAM_ITEMS, rounds);
    CountedCosts.measure(board);
  }

  /** Tells the targets on a busy host. */
  void busy(Scoreboard board) throws InterruptedException {
    RunOptions all =
        RunOptions.of(Set.of(Route.TCP, Route.SHM), Set.of(), rounds, turn.multipliedBy(2));
    ServerOptions asItComes = ServerOptions.idling(Idling.AS_IT_COMES);
    board.section(
        "on a busy host",
        () -> {
          try (Neighbours _ = Neighbours.start()) {
            against(
                "127.0.0.1", all, asItComes, player -> new BusyHost(player, turn, board).measure());
          }
        });
  }

  private void device(Scoreboard board) throws IOException, InterruptedException {
    String address = System.getenv("LAB_ADDRESS");
    if (address == null) {
      throw new IOException(
          "LAB_ADDRESS must be the address of a verbs device (and LAB_DEVICE its name), as in the"
              + " laboratory: './verbena bench targets --lab'");
    }
    RunOptions all =
        RunOptions.of(
            Set.of(Route.TCP, Route.RDMA, Route.PREFER),
            Set.of(Rival.PERFTEST, Rival.DARPC),
            rounds,
            DEVICE_WARMUP);
    Laboratory laboratory = new Laboratory(turn, board);
    ServerOptions polling = ServerOptions.idling(POLLING);
    ServerOptions asItComes = ServerOptions.idling(Idling.AS_IT_COMES);
    Targets both =
        player -> {
          laboratory.objects(player);
          laboratory.calls(player);
        };
    board.section("polling", () -> against(address, all, polling, both));
    board.section(
        "beside DaRPC", () -> against(address, all, ServerOptions.forRivals(), laboratory::darpc));
    board.section("as it comes", () -> against(address, all, asItComes, laboratory::asItComes));
  }

  /** Some targets that are told by turns against one server. */
  @FunctionalInterface
  private interface Targets {
    void measure(Player player) throws InterruptedException;
  }

  /** Starts a server in a second JVM, and has targets measured against it. */
  private void against(String host, RunOptions run, ServerOptions server, Targets targets)
      throws IOException, InterruptedException {
    List<String> words = new ArrayList<>(server.words());
    words.addAll(List.of("--listen", host + ":0"));
    try (ServerProcess process = ServerProcess.start(words);
        Bench bench = Bench.here(spec, run, server, process.address())) {
      targets.measure(bench::play);
    }
  }
}
