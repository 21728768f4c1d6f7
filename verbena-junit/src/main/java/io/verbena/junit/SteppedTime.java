package io.verbena.junit;

import io.verbena.core.loop.EventLoop;
import io.verbena.link.runtime.NanoClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The time of a test's client and server, which stands still until the test moves it on: deadlines,
 * keepalive, the window to resume in, and the delays of {@link Faults}. Threads run as ever, and
 * handlers' own clocks go on. Safe for use by any thread.
 */
public final class SteppedTime {
  /** Far less than a sign of life may be late. */
  private static final Duration TICK = Duration.ofMillis(100);

  /** A timer, what it sends, and what the peer answers. */
  private static final int ROUNDS = 3;

  private static final int PATIENCE_SECONDS = 10;

  private final Clock clock = new Clock();
  private volatile List<EventLoop> loops = List.of();

  /** Under its own lock. */
  private final PriorityQueue<Delayed> delayed = new PriorityQueue<>();

  SteppedTime() {}

  /**
   * Lets time pass, in steps that both ends keep up with. When it returns, what was due has been
   * begun, and the calls whose deadline has passed have failed; handlers may run on.
   *
   * @param time 0 or more; an hour takes seconds
   */
  public synchronized void advance(Duration time) {
    if (time.isNegative()) {
      throw new IllegalArgumentException("time never goes back, not even by " + time);
    }
    settle();
    for (Duration left = time; left.isPositive(); left = left.minus(TICK)) {
      clock.advance(left.compareTo(TICK) < 0 ? left : TICK);
      endDelays();
      settle();
    }
  }

  /** Lets a little time pass. */
  void tick() {
    advance(TICK);
  }

  NanoClock clock() {
    return clock;
  }

  /** Moves these loops on from now on: a thread steps each. */
  void moves(List<EventLoop> loops) {
    this.loops = loops;
  }

  /** Returns what completes, on the thread that moves time on, when so much has passed. */
  CompletionStage<Void> after(Duration time) {
    CompletableFuture<Void> passed = new CompletableFuture<>();
    synchronized (delayed) {
      delayed.add(new Delayed(clock.nanos + time.toNanos(), passed));
    }
    return passed;
  }

  private void endDelays() {
    List<CompletableFuture<Void>> due = new ArrayList<>();
    synchronized (delayed) {
      Delayed first;
      while ((first = delayed.peek()) != null && first.due <= clock.nanos) {
        due.add(delayed.remove().passed);
      }
    }
    due.forEach(passed -> passed.complete(null));
  }

  /** Returns when each loop has seen the time there is, and what the other has sent of it. */
  private void settle() {
    for (int round = 0; round < ROUNDS; round++) {
      loops.forEach(SteppedTime::await);
    }
  }

  /**
   * Returns after a whole cycle of the loop. That a command was run says nothing: one cycle runs
   * many, and a busy machine may hand it the next before it has looked at its timers.
   */
  private static void await(EventLoop loop) {
    CountDownLatch reached = new CountDownLatch(1);
    loop.execute(() -> loop.atCycleEnd(() -> loop.atCycleEnd(reached::countDown)));
    try {
      if (!reached.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException(
            "%s does nothing for %d s: does a nonBlocking handler or a callback block there?"
                .formatted(loop.roleName(), PATIENCE_SECONDS));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while time passed", e);
    }
  }

  private record Delayed(long due, CompletableFuture<Void> passed) implements Comparable<Delayed> {
    @Override
    public int compareTo(Delayed other) {
      return Long.compare(due, other.due);
    }
  }

  /** Begins at 0, so that instants can be compared. */
  private static final class Clock implements NanoClock {
    private static final long LOOK_EVERY_MILLIS = 1;
    private volatile long nanos;

    @Override
    public long nanoTime() {
      return nanos;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread at a time moves time on
    void advance(Duration time) {
      nanos += time.toNanos();
    }

    @Override
    public boolean acquire(Semaphore permits, long atMost) throws InterruptedException {
      long began = nanos;
      while (nanos - began < atMost) {
        if (permits.tryAcquire(LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS)) {
          return true;
        }
      }
      return permits.tryAcquire();
    }
  }
}
