package io.verbena.bench.command;

import static java.util.stream.Collectors.joining;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.bench.goal.Known;
import io.verbena.bench.load.Contestant;
import io.verbena.bench.load.Load;
import io.verbena.bench.report.Report;
import io.verbena.bench.report.Result;
import io.verbena.bench.rival.Perftest;
import io.verbena.bench.rival.Rival;
import io.verbena.bench.rival.RivalContestant;
import io.verbena.bench.run.Match;
import io.verbena.bench.run.Progress;
import io.verbena.bench.usage.HostInfo;
import io.verbena.bench.usage.Usage;
import io.verbena.bench.usage.Versions;
import io.verbena.bench.verbena.BenchControl;
import io.verbena.bench.verbena.BenchControlRpc;
import io.verbena.bench.verbena.BenchHost;
import io.verbena.bench.verbena.Idling;
import io.verbena.bench.verbena.Route;
import io.verbena.bench.verbena.VerbenaContestant;
import io.verbena.core.PathPolicy;
import io.verbena.core.VerbenaClient;
import java.io.Console;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** One run of contestants against one server. For use by one thread. */
final class Bench implements AutoCloseable {
  private static final String IN_MEMORY = "mem://bench";

  /** The variable with the user's command, if the run is somewhere else, as in the laboratory. */
  private static final String COMMAND = "VERBENA_BENCH_COMMAND";

  private static final Pattern PLAIN = Pattern.compile("[\\w./:=,@%+\\[\\]-]+");

  private final String command;
  private final VerbenaClient client;
  private final BenchControl control;
  private final List<Contestant> contestants = new ArrayList<>();
  private @Nullable Perftest perftest;
  private final Map<String, String> elsewhere = new LinkedHashMap<>();
  private final Match match;
  private final @Nullable BenchHost inMemory;

  /** Makes a run against a server on this host, in which all contestants can take part. */
  static Bench here(CommandSpec spec, RunOptions run, ServerOptions server, String address) {
    return new Bench(spec, run, server.idling(), address, server);
  }

  /** Makes a run against a server on another host. */
  static Bench elsewhere(CommandSpec spec, RunOptions run, Idling idling, String address) {
    return new Bench(spec, run, idling, address, null);
  }

  private Bench(
      CommandSpec spec,
      RunOptions run,
      Idling idling,
      String address,
      @Nullable ServerOptions local) {
    this.command = Objects.requireNonNullElseGet(System.getenv(COMMAND), () -> typed(spec));
    this.client =
        VerbenaClient.builder()
            .path(PathPolicy.TCP_ONLY)
            .connectTimeout(BenchHost.OPENS_WITHIN)
            .build();
    this.control = reach(client, address);
    this.inMemory =
        local != null && run.routes.contains(Route.MEM)
            ? BenchHost.start(IN_MEMORY, Idling.AS_IT_COMES, local.delay())
            : null;
    for (Route route : run.routes) {
      if (route != Route.MEM) {
        contestants.add(new VerbenaContestant(route, address, idling, run.extraCopy));
      } else if (local != null) {
        contestants.add(new VerbenaContestant(route, IN_MEMORY, Idling.AS_IT_COMES, run.extraCopy));
      } else {
        elsewhere.put(
            VerbenaContestant.name(route), "both ends are in one process; use 'bench local'");
      }
    }
    enter(run.rivals, address.substring(0, address.lastIndexOf(':')), local != null);
    Progress progress = new Progress(System.err, isWatched());
    this.match = new Match(this::serverOf, run.rounds, run.warmup, progress);
  }

  /**
   * Returns the control of a bench server.
   *
   * @throws IllegalStateException if there is no bench server, or one of another version
   */
  private static BenchControl reach(VerbenaClient client, String address) {
    try {
      BenchControl control = BenchControlRpc.client(client.connect(address));
      String theirs = control.version();
      if (theirs.equals(Versions.verbena())) {
        return control;
      }
      client.close();
      throw new IllegalStateException(
          "the server at %s has version %s, but this client %s; use the same version on both hosts"
              .formatted(address, theirs, Versions.verbena()));
    } catch (RpcException e) {
      client.close();
      boolean isOther = e.status() == RpcStatus.UNIMPLEMENTED;
      throw new IllegalStateException(
          isOther
              ? "the server at %s is not a 'bench server' of version %s: %s"
                  .formatted(address, Versions.verbena(), e.getMessage())
              : e.getMessage() + "; './verbena bench server' must run there",
          e);
    }
  }

  private static String typed(CommandSpec spec) {
    List<String> words = spec.root().commandLine().getParseResult().originalArgs();
    return "./verbena bench " + words.stream().map(Bench::quoted).collect(joining(" "));
  }

  /** Quotes a word for a shell. */
  private static String quoted(String word) {
    return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
  }

  private void enter(Set<Rival> rivals, String host, boolean local) {
    for (Rival rival : rivals) {
      if (rival != Rival.PERFTEST) {
        contestants.add(new RivalContestant(rival, host, () -> control.rivalPort(rival.name())));
      } else if (local) {
        perftest = new Perftest(Addresses.device(), host);
      } else {
        elsewhere.put(rival.title(), "its server must be on this host; use 'bench local'");
      }
    }
  }

  @SuppressWarnings("SystemConsoleNull") // the console may be null again since JDK 25
  private static boolean isWatched() {
    Console console = System.console();
    return console != null && console.isTerminal();
  }

  private @Nullable Supplier<Usage> serverOf(Contestant contestant) {
    return contestant.name().equals(VerbenaContestant.name(Route.MEM)) ? null : control::usage;
  }

  /**
   * Runs one load, and returns the results of the named contestants.
   *
   * @throws IllegalStateException if one of them is not available; the message gives the reason
   */
  List<Result> play(Load load, Set<String> names) throws InterruptedException {
    match.absent().clear(); // a contestant may be available for the next load
    List<Result> results =
        match.play(
            load,
            contestants.stream().filter(one -> names.contains(one.name())).toList(),
            names.contains(Rival.PERFTEST.title()) ? perftest : null);
    match
        .absent()
        .forEach(
            (name, why) -> {
              throw new IllegalStateException(name + " is not available: " + why);
            });
    return results;
  }

  /** Runs all loads, until one fails, and returns the report. */
  Report run(List<Load> loads) throws InterruptedException {
    HostInfo server = control.host();
    String started = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    match.absent().putAll(elsewhere);
    for (Contestant contestant : contestants) {
      tellIdle(contestant.name(), loads, contestant::takes);
    }
    if (perftest != null) {
      tellIdle(Rival.PERFTEST.title(), loads, Perftest::measures);
    }
    List<Result> results = new ArrayList<>();
    String failure = "";
    try {
      for (Load load : loads) {
        results.addAll(match.play(load, contestants, perftest));
      }
    } catch (IllegalStateException | RpcException e) {
      if (results.isEmpty()) {
        throw e;
      }
      failure = String.valueOf(e.getMessage());
    }
    if (results.isEmpty()) {
      String why =
          match.absent().entrySet().stream()
              .map(one -> one.getKey() + ": " + one.getValue())
              .collect(joining("; "));
      throw new IllegalStateException("no contestant took part: " + why);
    }
    return new Report(
        started,
        command,
        HostInfo.read(),
        server,
        Versions.read(),
        match.absent(),
        results,
        Known.weakRivals(results),
        failure);
  }

  private void tellIdle(String name, List<Load> loads, Predicate<Load> takes) {
    if (loads.stream().noneMatch(takes)) {
      match.absent().put(name, "it does not support this load");
    }
  }

  @Override
  public void close() {
    contestants.forEach(Contestant::close);
    client.close();
    if (inMemory != null) {
      inMemory.close();
    }
  }
}
