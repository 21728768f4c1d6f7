package io.verbena.simulation.time;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * A thread that runs only while its scheduler lets it, and then nothing else does: so several may
 * wait in the midst of what they do, as a program's threads do, and one seed still makes one run.
 */
public final class Strand {
  private static final ThreadLocal<Strand> CURRENT = new ThreadLocal<>();
  private static final long FIRST_LOOK_NANOS = 20_000;
  private static final long LOOK_NANOS = 500_000;

  private final Scheduler scheduler;
  private final String name;
  private final Place place;
  private final boolean mayBlock;
  private final Thread thread;
  private final Semaphore turn = new Semaphore(0);
  private boolean runnable = true;
  private volatile boolean elsewhere;
  private volatile boolean outOfTurn;
  private volatile boolean interruptedInWait;
  private boolean ended;
  private boolean cut;
  private Agenda.@Nullable Entry alarm;

  /** Where strands run; a place that stands still keeps its strands from running. */
  public interface Place {
    /** Returns whether nothing runs there now. */
    boolean standsStill();
  }

  /** Thrown out of a wait by a strand whose process was killed. */
  static final class Cut extends Error {
    private static final long serialVersionUID = 1L;

    Cut() {
      super("the process was killed", null, false, false);
    }
  }

  Strand(Scheduler scheduler, Place place, String name, boolean mayBlock, Runnable body) {
    this.mayBlock = mayBlock;
    this.scheduler = scheduler;
    this.place = place;
    this.name = name;
    this.thread = Thread.ofVirtual().name(name).unstarted(() -> run(body));
  }

  private void run(Runnable body) {
    turn.acquireUninterruptibly();
    CURRENT.set(this);
    try {
      if (!cut) {
        body.run();
      }
    } catch (Cut e) {
      // Its process is gone.
    } catch (Throwable e) {
      scheduler.failed(this, e);
    } finally {
      ended = true;
      runnable = false;
      scheduler.turnIsOver();
    }
  }

  /** Returns its name, for traces. */
  public String name() {
    return name;
  }

  boolean mayRun() {
    return runnable && !place.standsStill();
  }

  boolean isEnded() {
    return ended;
  }

  /** The scheduler's: has it run until it waits. */
  void start() {
    thread.start();
  }

  void giveTurn() {
    turn.release();
  }

  private void handBack() {
    boolean was = elsewhere;
    elsewhere = false; // what it waits for from here is its turn
    scheduler.turnIsOver();
    awaitTurn();
    elsewhere = was;
    if (cut) {
      throw new Cut();
    }
  }

  /** What waits uninterruptibly would hide from the scheduler that it was interrupted meanwhile. */
  private void awaitTurn() {
    boolean taken = false;
    while (!taken) {
      try {
        turn.acquire();
        taken = true;
      } catch (InterruptedException e) {
        interruptedInWait = true;
      }
    }
    if (interruptedInWait) {
      interruptedInWait = false;
      thread.interrupt();
    }
  }

  /** Lets others run, and goes on when it is this strand's turn again. On the strand. */
  public void pause() {
    handBack();
  }

  /**
   * Waits until it is {@linkplain #wake woken}, or the time has passed. On the strand.
   *
   * @param nanos {@code Long.MAX_VALUE}: for ever
   */
  public void await(long nanos) {
    runnable = false;
    if (nanos < Long.MAX_VALUE / 2) {
      alarm = scheduler.agenda().after(nanos, this::wake);
    }
    handBack();
  }

  /**
   * Waits so long, unless it is interrupted. On the strand.
   *
   * @throws InterruptedException if it was
   */
  public void sleep(long nanos) throws InterruptedException {
    long end = scheduler.agenda().now() + nanos;
    while (scheduler.agenda().now() < end) {
      if (Thread.interrupted()) {
        throw new InterruptedException("interrupted in virtual time");
      }
      scheduler.sleeping(this, true);
      await(end - scheduler.agenda().now());
      scheduler.sleeping(this, false);
    }
  }

  /**
   * Waits until something has completed. On the strand.
   *
   * @throws InterruptedException if it was interrupted before
   */
  public void awaitDone(CompletableFuture<?> future) throws InterruptedException {
    CompletableFuture<?> _ = future.whenComplete((result, failure) -> wake());
    while (!future.isDone()) {
      if (Thread.interrupted()) {
        throw new InterruptedException("interrupted in virtual time");
      }
      scheduler.sleeping(this, true);
      await(Long.MAX_VALUE);
      scheduler.sleeping(this, false);
    }
  }

  /**
   * Does something that may block the thread by means of its own, as a blocking call does: the turn
   * is over when it does, and the strand goes on in a turn of its own. On the strand.
   */
  public void block(Runnable work) {
    elsewhere = true;
    try {
      work.run();
    } finally {
      elsewhere = false;
      rejoin();
    }
  }

  private void rejoin() {
    if (outOfTurn) {
      runnable = true;
      outOfTurn = false; // last: the scheduler goes on
      awaitTurn();
      if (cut) {
        throw new Cut();
      }
    }
  }

  /**
   * The scheduler's: returns whether it blocks by other means than its own, and so ends its turn.
   */
  boolean blocks() {
    boolean parked = !isBusy(); // looked at first: it is elsewhere until it hands its turn back
    if (parked && elsewhere && !outOfTurn) {
      runnable = false;
      outOfTurn = true;
      return true;
    }
    return false;
  }

  boolean mayBlock() {
    return mayBlock;
  }

  /** The scheduler's: returns whether it was woken from where it blocked, and is to rejoin. */
  boolean comesBack() {
    return outOfTurn && isBusy();
  }

  private boolean isBusy() {
    return switch (thread.getState()) {
      case WAITING, TIMED_WAITING, TERMINATED -> false;
      default -> true;
    };
  }

  /**
   * Has the calling strand wait for a permit, in virtual time; also while it {@linkplain #block
   * blocks}.
   *
   * @return whether it has one
   * @throws InterruptedException if it was interrupted before
   */
  public static boolean acquire(Semaphore permits, long nanos) throws InterruptedException {
    Strand mine = CURRENT.get();
    if (mine == null) {
      throw new IllegalStateException("only strands wait in virtual time");
    }
    mine.rejoin();
    Agenda agenda = mine.scheduler.agenda();
    long end = agenda.now() + nanos;
    long look = FIRST_LOOK_NANOS;
    while (!permits.tryAcquire()) {
      if (agenda.now() >= end) {
        return false;
      }
      if (Thread.interrupted()) {
        throw new InterruptedException("interrupted in virtual time");
      }
      mine.await(Math.min(look, end - agenda.now()));
      look = Math.min(2 * look, LOOK_NANOS);
    }
    return true;
  }

  boolean isOutOfTurn() {
    return outOfTurn;
  }

  void interrupt() {
    thread.interrupt();
  }

  boolean isInterrupted() {
    return thread.isInterrupted() || interruptedInWait;
  }

  /** Has it go on. From anywhere but itself. */
  public void wake() {
    if (alarm != null) {
      alarm.callOff();
      alarm = null;
    }
    if (!ended) {
      runnable = true;
    }
  }

  /** Ends it where it waits: its process is gone. */
  public void cut() {
    if (!ended) {
      cut = true;
      wake();
      scheduler.runOut(this);
    }
  }
}
