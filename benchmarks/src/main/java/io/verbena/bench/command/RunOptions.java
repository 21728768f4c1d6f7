package io.verbena.bench.command;

import io.verbena.bench.rival.Rival;
import io.verbena.bench.verbena.Route;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Option;

/** Who takes part, how, and for how long. */
final class RunOptions {
  @Option(
      names = {"-p", "--paths"},
      split = ",",
      defaultValue = "tcp,shm,rdma,mem",
      paramLabel = "PATH",
      description = "which paths take turns; default: ${DEFAULT-VALUE}")
  Set<Route> routes = new LinkedHashSet<>(List.of(Route.TCP, Route.RDMA, Route.MEM));

  @Option(
      names = "--rounds",
      defaultValue = "5",
      paramLabel = "N",
      converter = Numbers.Count.class,
      description = "how many turns each contestant has; default: ${DEFAULT-VALUE}")
  int rounds = 5;

  @Option(
      names = "--warmup",
      defaultValue = "${env:VERBENA_BENCH_WARMUP:-2}",
      paramLabel = "SECONDS",
      converter = Numbers.Warmup.class,
      description =
          "how long each makes calls before its first turn, and once more while that made it faster"
              + " or kept compilers busy, for a minute at most, or 20 seconds when it has played"
              + " before; default: ${DEFAULT-VALUE}")
  Duration warmup = Duration.ofSeconds(2);

  @Option(
      names = "--rivals",
      arity = "0..1",
      split = ",",
      fallbackValue = "nio,netty,grpc,grpc_tuned,grpc_unix,aeron,ucx,sendfile,darpc,perftest",
      paramLabel = "RIVAL",
      description =
          "who else takes turns, where it can do what is asked; without a value: ${FALLBACK-VALUE}")
  Set<Rival> rivals = Set.of();

  @Option(
      names = "--extra-copy",
      description =
          "copies each object once more before it is put, to see whether a comparison finds it")
  boolean extraCopy;

  /** Returns options that no command line was read for. */
  static RunOptions of(Set<Route> routes, Set<Rival> rivals, int rounds, Duration warmup) {
    RunOptions options = new RunOptions();
    options.routes = routes;
    options.rivals = rivals;
    options.rounds = rounds;
    options.warmup = warmup;
    return options;
  }
}
