package io.verbena.simulation.time;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs one strand at a time. The seed chooses among the strands that can run. If none can, time
 * passes. The scheduler belongs to the thread that runs it.
 */
public final class Scheduler {
  private static final int TURN_NANOS = 3_000;

  private final Agenda agenda = new Agenda();
  private final SplittableRandom random;
  private final List<Strand> strands = new ArrayList<>();
  private final List<Strand> able = new ArrayList<>();
  private final List<Strand> blocked = new ArrayList<>();
  private final List<BooleanSupplier> watches = new ArrayList<>();
  private final List<Strand> sleepers = new ArrayList<>();
  private final Semaphore over = new Semaphore(0);
  private final Outside outside;
  private @Nullable Strand running;
  private @Nullable Throwable failure;
  private long turns;
  private long hash = 1;

  /** Another source of events on the same clock, beside the agenda. */
  public interface Outside {
    /** Runs an event that is due. Returns whether there was one. */
    boolean step();

    /** Returns the time of the next event; {@code Long.MAX_VALUE} if there is none. */
    long nextDue();
  }

  /** Makes a scheduler with its own source of chance. */
  public Scheduler(SplittableRandom random, java.util.function.Function<Agenda, Outside> outside) {
    this.random = random;
    this.outside = outside.apply(agenda);
  }

  public Agenda agenda() {
    return agenda;
  }

  /** Returns the number of turns so far. */
  public long turns() {
    return turns;
  }

  /** Returns a hash that is the same for equal runs, and hardly ever for others. */
  public long hash() {
    return hash;
  }

  /** Adds a value to the {@link #hash}. */
  public void mix(long value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15L;
    hash ^= hash >>> 29;
  }

  /** Returns the strand that runs now; null on the scheduler's own thread. */
  public @Nullable Strand running() {
    return running;
  }

  /** Returns the strand that runs now. Fails on the scheduler's own thread. */
  public Strand strand() {
    Strand strand = running;
    if (strand == null) {
      throw new IllegalStateException("only a strand waits");
    }
    return strand;
  }

  /** Calls a check after each turn, until it returns true. */
  public void watch(BooleanSupplier hasCome) {
    watches.add(hasCome);
  }

  public Strand start(Strand.Place place, String name, Runnable body) {
    return start(new Strand(this, place, name, false, body));
  }

  /** Starts a strand that may {@linkplain Strand#block block}. */
  public Strand startBlocking(Strand.Place place, String name, Runnable body) {
    return start(new Strand(this, place, name, true, body));
  }

  private Strand start(Strand strand) {
    strands.add(strand);
    strand.start();
    return strand;
  }

  /**
   * Runs until a condition holds.
   *
   * @param until the latest time
   * @return whether the condition holds
   */
  public boolean run(BooleanSupplier done, long until) {
    while (true) {
      while (agenda.step() || outside.step()) {
        // Runs all events that are due.
      }
      if (done.getAsBoolean()) {
        return true;
      }
      if (agenda.now() >= until) {
        return false;
      }
      wakeInterrupted();
      awaitReturns();
      Strand next = pick();
      if (next != null) {
        turn(next);
        agenda.moveTo(agenda.now() + 200 + random.nextInt(TURN_NANOS));
      } else {
        long due = Math.min(agenda.nextDue(), outside.nextDue());
        agenda.moveTo(Math.min(due, until));
      }
    }
  }

  private @Nullable Strand pick() {
    able.clear();
    for (int i = 0; i < strands.size(); i++) {
      if (strands.get(i).mayRun()) {
        able.add(strands.get(i));
      }
    }
    return able.isEmpty() ? null : able.get(able.size() == 1 ? 0 : random.nextInt(able.size()));
  }

  private void turn(Strand strand) {
    turns++;
    mix(agenda.now());
    running = strand;
    strand.giveTurn();
    awaitEnd(strand);
    running = null;
    if (!watches.isEmpty()) {
      watches.removeIf(BooleanSupplier::getAsBoolean);
    }
    if (strand.isEnded()) {
      strands.remove(strand);
    }
    Throwable failed = failure;
    if (failed != null) {
      failure = null;
      throw new IllegalStateException("strand " + strand.name() + " failed", failed);
    }
  }

  /** Waits for the end of the turn. The strand then waits, has ended, or blocks in a call. */
  @SuppressWarnings("ThreadPriorityCheck") // the other thread is known
  private void awaitEnd(Strand strand) {
    while (!over.tryAcquire()) {
      if (!strand.mayBlock()) {
        over.acquireUninterruptibly();
        return;
      }
      if (strand.blocks()) {
        blocked.add(strand);
        return;
      }
      Thread.yield();
    }
  }

  /** Waits for blocked strands that the last turn has woken, before the next turn is drawn. */
  @SuppressWarnings("ThreadPriorityCheck") // the other thread is known
  private void awaitReturns() {
    for (int i = 0; i < blocked.size(); i++) {
      while (blocked.get(i).comesBack()) {
        Thread.yield();
      }
    }
    blocked.removeIf(strand -> !strand.isOutOfTurn());
  }

  /** Lets a strand that was cut unwind at once. */
  @SuppressWarnings("ThreadPriorityCheck") // the other thread is known
  void runOut(Strand strand) {
    if (running != null) {
      return;
    }
    while (!strand.isEnded()) {
      if (strand.isOutOfTurn()) {
        strand.interrupt();
        Thread.yield();
      } else {
        turn(strand);
      }
    }
  }

  private void wakeInterrupted() {
    for (int i = 0; i < sleepers.size(); i++) {
      if (sleepers.get(i).isInterrupted()) {
        sleepers.get(i).wake();
      }
    }
  }

  void sleeping(Strand strand, boolean sleeps) {
    if (sleeps) {
      sleepers.add(strand);
    } else {
      sleepers.remove(strand);
    }
  }

  void turnIsOver() {
    over.release();
  }

  void failed(Strand strand, Throwable e) {
    failure = e;
  }

  /** Ends every strand. */
  public void close() {
    for (Strand strand : List.copyOf(strands)) {
      strand.cut();
    }
  }
}
