package io.verbena.simulation;

import io.verbena.simulation.check.Tally;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Runs many seeds, on several processors where asked for, and adds up what became of them. Each
 * processor has a virtual machine of its own, so that a run is the same whatever runs beside it.
 */
final class Campaign {
  /**
   * A virtual machine runs no more: processes that are killed in a simulation never free what they
   * had outside the heap, some 500 KiB for each seed.
   */
  private static final long SEEDS_OF_A_SHARD = 2_500;

  private final long first;
  private final long count;
  private final Seeds seeds;
  private final boolean keepsGoing;
  private final Progress told;
  private final Tally calls = new Tally();
  private final Tally coverage = new Tally();
  private final List<Long> broken = new ArrayList<>();
  private final Set<Shard> running = ConcurrentHashMap.newKeySet();

  /** How many seeds virtual machines were given so far. */
  private long given;

  private long done;
  private @Nullable String lost;

  /** Hears how far it is. */
  @FunctionalInterface
  interface Progress {
    /** So many seeds have ended, of which so many broke a rule. */
    void ended(long done, long broken);
  }

  /**
   * Of seeds one after the other.
   *
   * @param seeds which plans they make
   * @param keepsGoing also after a rule was broken
   * @param told whenever one has ended
   */
  Campaign(long first, long count, Seeds seeds, boolean keepsGoing, Progress told) {
    this.first = first;
    this.count = count;
    this.seeds = seeds;
    this.keepsGoing = keepsGoing;
    this.told = told;
  }

  /** Runs them here. */
  void run() {
    for (long i = 0; i < count && goesOn(); i++) {
      Outcome outcome = Simulation.run(seeds.plan(first + i), null);
      ended(first + i, outcome.isClean());
      add(outcome.calls(), outcome.coverage());
    }
  }

  /** Runs them on so many virtual machines at a time; few of them here, where one is enough. */
  void run(int most) throws IOException, InterruptedException {
    int jobs = Math.max(1, most);
    if (jobs == 1 && count <= SEEDS_OF_A_SHARD) {
      run();
      return;
    }
    List<Thread> runners = new ArrayList<>();
    long seedsOfEach = Math.min(SEEDS_OF_A_SHARD, Math.ceilDiv(count, jobs));
    for (int i = 0; i < jobs; i++) {
      runners.add(Thread.ofPlatform().name("shards").start(() -> runShards(seedsOfEach)));
    }
    try {
      for (Thread runner : runners) {
        runner.join();
      }
    } finally {
      running.forEach(Shard::stop);
    }
    if (lost != null) {
      throw new IOException(
          "%,d of %,d seeds have ended, and then a virtual machine was lost: %s"
              .formatted(done(), count, lost));
    }
  }

  /** One virtual machine after the other, until no seeds are left to be given to one. */
  private void runShards(long most) {
    Shard shard;
    while ((shard = nextShard(most)) != null) {
      shard.read();
      running.remove(shard);
    }
  }

  private synchronized @Nullable Shard nextShard(long most) {
    long more = Math.min(most, count - given);
    if (more <= 0 || lost != null || !goesOn()) {
      return null;
    }
    try {
      Shard shard = new Shard(this, first + given, more);
      given += more;
      running.add(shard);
      return shard;
    } catch (IOException e) {
      lost("it did not start: " + e.getMessage());
      return null;
    }
  }

  /** A virtual machine of it is gone: its seeds never end. */
  synchronized void lost(String why) {
    lost = why;
  }

  Seeds seeds() {
    return seeds;
  }

  boolean keepsGoing() {
    return keepsGoing;
  }

  private boolean goesOn() {
    return keepsGoing || broken.isEmpty();
  }

  /** A seed has ended. */
  synchronized void ended(long seed, boolean clean) {
    done++;
    if (!clean) {
      broken.add(seed);
    }
    told.ended(done, broken.size());
    if (!goesOn()) {
      running.forEach(Shard::stop);
    }
  }

  /** Adds what seeds that have ended made happen. */
  synchronized void add(Tally moreCalls, Tally moreCoverage) {
    calls.add(moreCalls);
    coverage.add(moreCoverage);
  }

  /** Returns how many seeds have ended. */
  synchronized long done() {
    return done;
  }

  /** Returns those of them that broke a rule. */
  synchronized List<Long> broken() {
    return List.copyOf(broken);
  }

  /** Returns how calls and transfers ended. */
  synchronized Tally calls() {
    return calls;
  }

  /** Returns which fault met which phase, how often. */
  synchronized Tally coverage() {
    return coverage;
  }
}
