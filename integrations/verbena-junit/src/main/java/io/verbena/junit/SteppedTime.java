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
 * The time of a test's client and server, which stands still until the test advances it. It drives
 * deadlines, keepalive, the resume window, and the delays of {@link Faults}. Threads run as usual,
 * and handlers' own clocks do not change. Safe for use by any thread.
 */
public final class SteppedTime {
  /** Far less than a ping may be late. */
  private static final Duration TICK = Duration.ofMillis(100);

  /** One for a timer, one for its message, one for the peer's answer. */
  private static final int ROUNDS = 3;

  private static final int PATIENCE_SECONDS = 10;

  private final Clock clock = new Clock();
  private volatile List<EventLoop> loops = List.of();

  /** Guarded by its own monitor. */
  private final PriorityQueue<Delayed> delayed = new PriorityQueue<>();

  SteppedTime() {}

  /**
   * Advances time, in steps that both ends keep up with. When it returns, due timers have run, and
   * calls whose deadline has passed have failed. Handlers may still run.
   *
   * @param time 0 or more; an hour takes seconds
   */
  public synchronized void advance(Duration time) {
    if (time.isNegative()) {
      throw new IllegalArgumentException("time cannot go back, not even by " + time);
    }
    settle();
    for (Duration left = time; left.isPositive(); left = left.minus(TICK)) {
      clock.advance(left.compareTo(TICK) < 0 ? left : TICK);
      endDelays();
      settle();
    }
  }

  /** Advances time by a little. */
  void tick() {
    advance(TICK);
  }

  NanoClock clock() {
    return clock;
  }

  /** Advances the time of these loops from now on. Each has a thread of its own. */
  void move(List<EventLoop> loops) {
    this.loops = loops;
  }

  /** Returns a stage that completes after this time, on the thread that advances it. */
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

  /**
   * Waits until each loop has seen the present time, and the messages that the other sent because
   * of it.
   */
  private void settle() {
    for (int round = 0; round < ROUNDS; round++) {
      loops.forEach(SteppedTime::await);
    }
  }

  /**
   * Waits for a whole cycle of the loop. A command that has run proves nothing: one cycle runs many
   * commands, and a busy machine may add the next before the loop has looked at its timers.
   */
  private static void await(EventLoop loop) {
    CountDownLatch reached = new CountDownLatch(1);
    loop.execute(() -> loop.atCycleEnd(() -> loop.atCycleEnd(reached::countDown)));
    try {
      if (!reached.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException(
            "%s has done nothing for %d s: does a nonBlocking handler or a callback block there?"
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

  /** Begins at 0, so that times can be compared without overflow. */
  private static final class Clock implements NanoClock {
    private static final long LOOK_EVERY_MILLIS = 1;
    private volatile long nanos;

    @Override
    public long nanoTime() {
      return nanos;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread at a time advances time
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
