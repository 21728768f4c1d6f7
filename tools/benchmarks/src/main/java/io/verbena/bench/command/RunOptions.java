package io.verbena.bench.command;

import io.verbena.bench.rival.Rival;
import io.verbena.bench.verbena.Route;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Option;

/** The options of the contestants and their turns. */
final class RunOptions {
  @Option(
      names = {"-p", "--paths"},
      split = ",",
      defaultValue = "tcp,shm,rdma,mem",
      paramLabel = "PATH",
      description = "the paths that take turns; default: ${DEFAULT-VALUE}")
  Set<Route> routes = new LinkedHashSet<>(List.of(Route.TCP, Route.RDMA, Route.MEM));

  @Option(
      names = "--rounds",
      defaultValue = "5",
      paramLabel = "N",
      converter = Numbers.Count.class,
      description = "the number of turns of each contestant; default: ${DEFAULT-VALUE}")
  int rounds = 5;

  @Option(
      names = "--warmup",
      defaultValue = "${env:VERBENA_BENCH_WARMUP:-2}",
      paramLabel = "SECONDS",
      converter = Numbers.Warmup.class,
      description =
          "the time of a contestant's calls before its first turn. The warm-up is repeated while it"
              + " makes calls faster or keeps compilers busy, for at most a minute, or 20 seconds"
              + " after an earlier load; default: ${DEFAULT-VALUE}")
  Duration warmup = Duration.ofSeconds(2);

  @Option(
      names = "--rivals",
      arity = "0..1",
      split = ",",
      fallbackValue = "nio,netty,grpc,grpc_tuned,grpc_unix,aeron,ucx,sendfile,darpc,perftest",
      paramLabel = "RIVAL",
      description =
          "the rivals that also take turns, if they support the load; without a value:"
              + " ${FALLBACK-VALUE}")
  Set<Rival> rivals = Set.of();

  @Option(
      names = "--extra-copy",
      description =
          "copy each object once more before it is put, to test whether a comparison finds it")
  boolean extraCopy;

  /** Returns options without a command line. */
  static RunOptions of(Set<Route> routes, Set<Rival> rivals, int rounds, Duration warmup) {
    RunOptions options = new RunOptions();
    options.routes = routes;
    options.rivals = rivals;
    options.rounds = rounds;
    options.warmup = warmup;
    return options;
  }
}
