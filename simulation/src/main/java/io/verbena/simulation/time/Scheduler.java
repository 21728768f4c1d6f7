package io.verbena.simulation.time;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets one strand run at a time, drawn from the seed among those that may, and time pass where none
 * may. Belongs to the thread that runs it.
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

  /** Something beside the agenda that has events of its own, on the same clock. */
  public interface Outside {
    /** Runs what is due; returns whether there was something. */
    boolean step();

    /** Returns when the next is due; {@code Long.MAX_VALUE} where there is none. */
    long nextDue();
  }

  /** A scheduler that draws from a seed of its own. */
  public Scheduler(SplittableRandom random, java.util.function.Function<Agenda, Outside> outside) {
    this.random = random;
    this.outside = outside.apply(agenda);
  }

  /** Returns what is to happen when. */
  public Agenda agenda() {
    return agenda;
  }

  /** Returns how many turns strands have had. */
  public long turns() {
    return turns;
  }

  /** Returns a number that two equal runs share, and others hardly ever. */
  public long hash() {
    return hash;
  }

  /** Adds to what {@link #hash} tells runs apart by. */
  public void mix(long value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15L;
    hash ^= hash >>> 29;
  }

  /** Returns the strand that runs now; null on the scheduler's own thread. */
  public @Nullable Strand running() {
    return running;
  }

  /** Returns the strand that runs now, for what only strands do. */
  public Strand strand() {
    Strand strand = running;
    if (strand == null) {
      throw new IllegalStateException("only a strand waits");
    }
    return strand;
  }

  /** Has somebody look after each turn, until what is looked for has come. */
  public void watch(BooleanSupplier hasCome) {
    watches.add(hasCome);
  }

  /** Starts a strand. */
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
   * Runs until something is so.
   *
   * @param until the latest time
   * @return whether it is so
   */
  public boolean run(BooleanSupplier done, long until) {
    while (true) {
      while (agenda.step() || outside.step()) {
        // All that is due.
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

  /** Waits until the turn is over: the strand waits, has ended, or blocks in what it called. */
  @SuppressWarnings("ThreadPriorityCheck") // who is to run instead is known
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

  /** What the last turn has woken from where it blocked is there before the next is drawn. */
  @SuppressWarnings("ThreadPriorityCheck") // who is to run instead is known
  private void awaitReturns() {
    for (int i = 0; i < blocked.size(); i++) {
      while (blocked.get(i).comesBack()) {
        Thread.yield();
      }
    }
    blocked.removeIf(strand -> !strand.isOutOfTurn());
  }

  /** Lets a strand that was cut unwind at once. */
  @SuppressWarnings("ThreadPriorityCheck") // who is to run instead is known
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
