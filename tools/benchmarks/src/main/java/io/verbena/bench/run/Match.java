package io.verbena.bench.run;

import io.verbena.bench.load.AbsentException;
import io.verbena.bench.load.Caller;
import io.verbena.bench.load.Contestant;
import io.verbena.bench.load.Load;
import io.verbena.bench.load.LoadLoop;
import io.verbena.bench.load.Turn;
import io.verbena.bench.load.Watcher;
import io.verbena.bench.report.Result;
import io.verbena.bench.report.Round;
import io.verbena.bench.report.Tables;
import io.verbena.bench.rival.Perftest;
import io.verbena.bench.rival.Rival;
import io.verbena.bench.usage.Usage;
import io.verbena.bench.usage.UsageMeter;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Lets contestants take turns under the same load, round by round, so that other work of the
 * machine affects them alike. For use by one thread.
 */
public final class Match {
  /** A warm-up is repeated while the last one was faster than the one before by this factor. */
  private static final double STILL_WARMING = 1.1;

  /** A warm-up is also repeated while compilers of one side took more than this part of it. */
  private static final double STILL_COMPILING = 0.1;

  private static final int MOST_WARMUPS = 8;
  private static final Duration MOST_WARMUP = Duration.ofMinutes(1);

  /** The longest warm-up after an earlier load, because most of the code is compiled then. */
  private static final Duration MOST_LATER_WARMUP = Duration.ofSeconds(20);

  private static final double NANOS_PER_SECOND = 1e9;

  /** Returns the usage of a contestant's server; null if both ends are this process. */
  private final Function<Contestant, @Nullable Supplier<Usage>> servers;

  private final int rounds;
  private final Duration warmup;
  private final Progress progress;
  private final Map<String, String> absent = new LinkedHashMap<>();
  private final Set<Contestant> played = new HashSet<>();

  /**
   * Makes a match.
   *
   * @param rounds the number of turns of each contestant
   * @param warmup the time of calls before the first turn
   */
  public Match(
      Function<Contestant, @Nullable Supplier<Usage>> servers,
      int rounds,
      Duration warmup,
      Progress progress) {
    this.servers = servers;
    this.rounds = rounds;
    this.warmup = warmup;
    this.progress = progress;
  }

  /** Returns the contestants that did not take part, with the reasons. */
  public Map<String, String> absent() {
    return absent;
  }

  /**
   * Runs all rounds of one load.
   *
   * @throws IllegalStateException if a call or a program failed, or an answer was wrong
   */
  public List<Result> play(Load load, List<Contestant> contestants, @Nullable Perftest perftest)
      throws InterruptedException {
    List<Entry> entries = new ArrayList<>();
    try {
      for (Contestant contestant : contestants) {
        if (contestant.takes(load) && !absent.containsKey(contestant.name())) {
          enter(contestant, load, entries);
        }
      }
      if (perftest != null
          && Perftest.measures(load)
          && !absent.containsKey(Rival.PERFTEST.title())) {
        enter(perftest, load, entries);
      }
      for (int round = 1; round <= rounds; round++) {
        for (Entry entry : entries) {
          entry.takeTurn("round " + round + " of " + rounds);
        }
        progress.table(entries.stream().map(Entry::result).toList());
      }
      return entries.stream().map(Entry::result).toList();
    } finally {
      entries.forEach(Entry::close);
      progress.clear();
    }
  }

  private void enter(Contestant contestant, Load load, List<Entry> entries)
      throws InterruptedException {
    Connected entry = new Connected(contestant, load);
    try {
      entry.connect();
      entries.add(entry);
      entry.warmUp();
    } catch (AbsentException e) {
      entry.close();
      absent.put(contestant.name(), String.valueOf(e.getMessage()));
    }
  }

  private void enter(Perftest perftest, Load load, List<Entry> entries)
      throws InterruptedException {
    try {
      perftest.turn(load);
      entries.add(new Started(perftest, load));
    } catch (IOException e) {
      absent.put(Rival.PERFTEST.title(), String.valueOf(e.getMessage()));
    }
  }

  /** A participant that takes turns under a load. */
  private interface Entry {
    void takeTurn(String stage) throws InterruptedException;

    Result result();

    void close();
  }

  /** The programs of perftest. */
  private static final class Started implements Entry {
    private final Perftest perftest;
    private final Load load;
    private final List<Round> taken = new ArrayList<>();

    Started(Perftest perftest, Load load) {
      this.perftest = perftest;
      this.load = load;
    }

    @Override
    public void takeTurn(String stage) throws InterruptedException {
      try {
        taken.add(perftest.turn(load));
      } catch (IOException e) {
        throw new IllegalStateException(e.getMessage(), e);
      }
    }

    @Override
    public Result result() {
      return new Result(Rival.PERFTEST.title(), perftest.path(load), load, taken, new Histogram(3));
    }

    @Override
    public void close() {}
  }

  /** One contestant under one load, with its connections. */
  private final class Connected implements Entry {
    private final Contestant contestant;
    private final Load load;
    private final List<Caller> callers = new ArrayList<>();
    private final List<Round> taken = new ArrayList<>();
    private final Histogram all = new Histogram(3);

    Connected(Contestant contestant, Load load) {
      this.contestant = contestant;
      this.load = load;
    }

    void connect() throws AbsentException {
      for (int i = 0; i < load.connections(); i++) {
        callers.add(contestant.connect(load));
      }
    }

    void warmUp() throws InterruptedException {
      double before = 0;
      Duration longest = played.add(contestant) ? MOST_WARMUP : MOST_LATER_WARMUP;
      long most = warmup.isPositive() ? Math.max(1, longest.dividedBy(warmup)) : 0;
      for (int i = 0; i < Math.min(MOST_WARMUPS, most); i++) {
        Meter meter = new Meter("warm-up", servers.apply(contestant));
        Turn turn = run(load.lasting(warmup), meter);
        double rate = turn.calls() / turn.seconds();
        boolean faster = rate >= before * STILL_WARMING;
        if (load.ratePerSecond() > 0 || (!faster && !meter.isCompiling(turn.seconds()))) {
          return;
        }
        before = rate;
      }
    }

    @Override
    public void takeTurn(String stage) throws InterruptedException {
      Meter meter = new Meter(stage, servers.apply(contestant));
      Turn turn = run(load, meter);
      if (turn.calls() == 0) {
        throw new IllegalStateException(
            contestant.name() + " ended no call in " + turn.seconds() + " s; use a longer turn");
      }
      taken.add(Round.of(load, turn, meter.clientUsed(), meter.serverUsed()));
      all.add(turn.nanos());
    }

    private Turn run(Load asked, Meter meter) throws InterruptedException {
      try {
        return LoadLoop.run(asked, callers, meter);
      } catch (IllegalStateException e) {
        throw new IllegalStateException(
            contestant.name() + ", " + Tables.words(asked) + ": " + e.getMessage(), e);
      }
    }

    @Override
    public Result result() {
      return new Result(contestant.name(), callers.getFirst().path(), load, taken, all);
    }

    @Override
    public void close() {
      callers.forEach(Caller::close);
    }

    /** Reads the usage of both sides while calls are counted. */
    private final class Meter implements Watcher {
      private final String stage;
      private final @Nullable Supplier<Usage> server;
      private @Nullable Usage clientBefore;
      private @Nullable Usage clientAfter;
      private @Nullable Usage serverBefore;
      private @Nullable Usage serverAfter;

      Meter(String stage, @Nullable Supplier<Usage> server) {
        this.stage = stage;
        this.server = server;
      }

      @Override
      public void opened() {
        serverBefore = server == null ? null : server.get();
        clientBefore = UsageMeter.read();
      }

      @Override
      public void closed() {
        clientAfter = UsageMeter.read();
        serverAfter = server == null ? null : server.get();
      }

      @Override
      public void progress(long calls, double seconds) {
        progress.show(contestant.name(), load, stage, calls / seconds);
      }

      Usage clientUsed() {
        if (clientBefore == null || clientAfter == null) {
          throw new IllegalStateException("the turn was not counted");
        }
        return clientAfter.since(clientBefore);
      }

      /** Returns whether compilers were busy during a time in seconds. */
      boolean isCompiling(double seconds) {
        Usage atServer = serverUsed();
        long most =
            Math.max(
                clientUsed().compilingNanos(), atServer == null ? 0 : atServer.compilingNanos());
        return most > STILL_COMPILING * seconds * NANOS_PER_SECOND;
      }

      @Nullable Usage serverUsed() {
        return serverBefore == null || serverAfter == null ? null : serverAfter.since(serverBefore);
      }
    }
  }
}
