package io.verbena.simulation;

import io.verbena.simulation.check.Tally;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Runs many seeds, on several processors where asked for, and adds up what became of them. Each
 * processor has a virtual machine of its own, so that a run is the same whatever runs beside it.
 */
final class Campaign {
  private final long first;
  private final long count;
  private final boolean keepsGoing;
  private final LongConsumer told;
  private final Tally calls = new Tally();
  private final Tally coverage = new Tally();
  private final List<Long> broken = new ArrayList<>();
  private final List<Shard> shards = new ArrayList<>();
  private long done;

  /**
   * Of seeds one after the other.
   *
   * @param keepsGoing also after a rule was broken
   * @param told how many have ended, whenever one has
   */
  Campaign(long first, long count, boolean keepsGoing, LongConsumer told) {
    this.first = first;
    this.count = count;
    this.keepsGoing = keepsGoing;
    this.told = told;
  }

  /** Runs them here. */
  void run() {
    for (long i = 0; i < count && goesOn(); i++) {
      Outcome outcome = Simulation.run(first + i);
      ended(first + i, outcome.isClean());
      add(outcome.calls(), outcome.coverage());
    }
  }

  /** Runs them on so many virtual machines. */
  void run(int jobs) throws IOException, InterruptedException {
    for (long i = 0; i < jobs; i++) {
      long from = first + count * i / jobs;
      shards.add(new Shard(this, from, first + count * (i + 1) / jobs - from));
    }
    List<Thread> readers = new ArrayList<>();
    try {
      for (Shard shard : shards) {
        readers.add(Thread.ofPlatform().name("shard").start(shard::read));
      }
      for (Thread reader : readers) {
        reader.join();
      }
    } finally {
      shards.forEach(Shard::stop);
    }
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
    told.accept(done);
    if (!goesOn()) {
      shards.forEach(Shard::stop);
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
