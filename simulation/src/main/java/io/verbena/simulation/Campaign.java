package io.verbena.simulation;

import io.verbena.simulation.check.Tally;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Runs many seeds, on one or several processors, and adds up their results. Each processor has its
 * own virtual machine, so that runs do not affect each other.
 */
final class Campaign {
  /**
   * A virtual machine runs at most this number of seeds. Killed processes of a simulation never
   * free their memory outside the heap, some 500 KiB for each seed.
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

  /** The number of seeds that virtual machines have got so far. */
  private long given;

  private long done;
  private @Nullable String lost;

  /** Receives the progress of a campaign. */
  @FunctionalInterface
  interface Progress {
    /** Called with the number of seeds that have ended, and of those that broke a rule. */
    void ended(long done, long broken);
  }

  /**
   * Makes a campaign of consecutive seeds.
   *
   * @param seeds makes the plans of seeds
   * @param keepsGoing whether to continue after a rule was broken
   * @param told called after each seed
   */
  Campaign(long first, long count, Seeds seeds, boolean keepsGoing, Progress told) {
    this.first = first;
    this.count = count;
    this.seeds = seeds;
    this.keepsGoing = keepsGoing;
    this.told = told;
  }

  /** Runs the seeds in this virtual machine. */
  void run() {
    for (long i = 0; i < count && goesOn(); i++) {
      Outcome outcome = Simulation.run(seeds.plan(first + i), null);
      ended(first + i, outcome.isClean());
      add(outcome.calls(), outcome.coverage());
    }
  }

  /** Runs the seeds on several virtual machines. If one is enough, this one runs them. */
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

  /** Runs one virtual machine after the other, until no seeds are left. */
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

  /** Records that a virtual machine was lost, whose seeds never end. */
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

  /** Records the end of a seed. */
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

  /** Adds the counts of seeds that have ended. */
  synchronized void add(Tally moreCalls, Tally moreCoverage) {
    calls.add(moreCalls);
    coverage.add(moreCoverage);
  }

  /** Returns the number of seeds that have ended. */
  synchronized long done() {
    return done;
  }

  /** Returns the seeds that broke a rule. */
  synchronized List<Long> broken() {
    return List.copyOf(broken);
  }

  /** Returns the counts of the ends of calls and transfers. */
  synchronized Tally calls() {
    return calls;
  }

  /** Returns the counts of faults in phases. */
  synchronized Tally coverage() {
    return coverage;
  }
}
