package io.verbena.simulation.time;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * A thread that runs only in its turns, while no other strand runs. Strands may wait in the midst
 * of their work like threads of a program, but one seed still gives one run.
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

  /** The place of strands. Strands of a place that stands still do not run. */
  public interface Place {
    /** Returns whether no strand of the place may run now. */
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
      // The process is gone.
    } catch (Throwable e) {
      scheduler.failed(this, e);
    } finally {
      ended = true;
      runnable = false;
      scheduler.turnIsOver();
    }
  }

  /** Returns the name for traces. */
  public String name() {
    return name;
  }

  boolean mayRun() {
    return runnable && !place.standsStill();
  }

  boolean isEnded() {
    return ended;
  }

  /** Called by the scheduler. Runs the strand until it waits. */
  void start() {
    thread.start();
  }

  void giveTurn() {
    turn.release();
  }

  private void handBack() {
    boolean was = elsewhere;
    elsewhere = false; // from here on the strand waits for its turn
    scheduler.turnIsOver();
    awaitTurn();
    elsewhere = was;
    if (cut) {
      throw new Cut();
    }
  }

  /** Waits for the turn. An uninterruptible wait would hide interrupts from the scheduler. */
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

  /** Lets other strands run, and continues in the next turn. Called on the strand. */
  public void pause() {
    handBack();
  }

  /**
   * Waits for a {@linkplain #wake wake-up}, or until the time has passed. Called on the strand.
   *
   * @param nanos the time; {@code Long.MAX_VALUE} for ever
   */
  public void await(long nanos) {
    runnable = false;
    if (nanos < Long.MAX_VALUE / 2) {
      alarm = scheduler.agenda().after(nanos, this::wake);
    }
    handBack();
  }

  /**
   * Waits for a time. Called on the strand.
   *
   * @throws InterruptedException if the strand was interrupted
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
   * Waits until a future has completed. Called on the strand.
   *
   * @throws InterruptedException if the strand was interrupted before
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
   * Runs work that may block the thread by other means, such as a blocking call. Blocking ends the
   * turn, and the strand continues in a later turn. Called on the strand.
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
      outOfTurn = false; // this is last, because the scheduler then continues
      awaitTurn();
      if (cut) {
        throw new Cut();
      }
    }
  }

  /**
   * Called by the scheduler. Returns whether the strand blocks by other means, which ends its turn.
   */
  boolean blocks() {
    // Read first, because the strand is elsewhere until it ends its turn.
    boolean parked = !isBusy();
    if (parked && elsewhere && !outOfTurn) {
      runnable = false;
      outOfTurn = true;
      return true;
    }
    return false;
  }

  /** Returns whether the strand may {@linkplain #block block}. */
  public boolean mayBlock() {
    return mayBlock;
  }

  /** Called by the scheduler. Returns whether the strand no longer blocks, and rejoins. */
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
   * Makes the calling strand wait for a permit in virtual time, also while it {@linkplain #block
   * blocks}.
   *
   * @return whether it has got a permit
   * @throws InterruptedException if the strand was interrupted before
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

  /** Wakes the strand. Not called on the strand itself. */
  public void wake() {
    if (alarm != null) {
      alarm.callOff();
      alarm = null;
    }
    if (!ended) {
      runnable = true;
    }
  }

  /** Ends the strand in its wait, because its process is gone. */
  public void cut() {
    if (!ended) {
      cut = true;
      wake();
      scheduler.runOut(this);
    }
  }
}
