package io.verbena.bench.load;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Puts one contestant's connections under a load for one turn. In a closed loop a call is due when
 * another has ended; at a fixed rate it is due at its time, and what it had to wait counts.
 */
public final class LoadLoop {
  private static final Duration RAMP = Duration.ofMillis(200);
  private static final long PATIENCE_SECONDS = 60;
  private static final long PROGRESS_NANOS = 1_000_000_000L;
  private static final long LOOK_NANOS = 1_000_000L;

  private final Load load;
  private final Recording recording = new Recording();
  private final AtomicLong numbers = new AtomicLong();
  private final AtomicBoolean stopped = new AtomicBoolean();
  private final CountDownLatch idle;
  private final List<Worker> workers = new ArrayList<>();

  private LoadLoop(Load load, List<Caller> callers) {
    this.load = load;
    boolean paced = load.ratePerSecond() > 0;
    boolean async = load.mode() == Mode.ASYNC && load.kind() != Kind.ONEWAY;
    Schedule schedule = new Schedule(load.ratePerSecond());
    if (async && paced) {
      workers.add(new Pacer(callers, schedule));
    } else {
      for (Caller caller : callers) {
        for (int i = 0; i < load.outstanding(); i++) {
          workers.add(async ? new Chain(caller) : new Waiting(caller, schedule));
        }
      }
    }
    this.idle = new CountDownLatch(workers.size());
  }

  /**
   * Runs one turn on open connections.
   *
   * @throws IllegalStateException if a call failed, or did not end
   */
  public static Turn run(Load load, List<Caller> callers, Watcher watcher)
      throws InterruptedException {
    return new LoadLoop(load, callers).run(callers, watcher);
  }

  private Turn run(List<Caller> callers, Watcher watcher) throws InterruptedException {
    boolean counted = load.count() > 0;
    if (counted) {
      watcher.opened();
      recording.open();
    }
    workers.forEach(Worker::begin);
    if (!counted) {
      Thread.sleep(RAMP);
      watcher.opened();
      recording.open();
    }
    watch(watcher, counted ? Long.MAX_VALUE : load.duration().toNanos());
    if (counted) {
      callers.forEach(Caller::settle);
    }
    long nanos = recording.close();
    watcher.closed();
    stopped.set(true);
    if (!idle.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException(
          idle.getCount() + " calls had not ended " + PATIENCE_SECONDS + " s after the turn");
    }
    if (!counted) {
      callers.forEach(Caller::settle);
    }
    throwFailure();
    return new Turn(recording.total(), nanos / 1e9);
  }

  /** Waits until the time has passed and a call has ended, or all have. */
  private void watch(Watcher watcher, long forNanos) throws InterruptedException {
    long start = System.nanoTime();
    long patience = start + PATIENCE_SECONDS * PROGRESS_NANOS;
    long passed = 0;
    while (recording.failure() == null
        && (passed < forNanos
            || (recording.countSoFar() == 0 && System.nanoTime() - patience < 0))) {
      long wait = Math.clamp(forNanos - passed, LOOK_NANOS, PROGRESS_NANOS);
      if (idle.await(wait, TimeUnit.NANOSECONDS)) {
        return;
      }
      passed = System.nanoTime() - start;
      watcher.progress(recording.countSoFar(), passed / 1e9);
    }
  }

  private void throwFailure() {
    Throwable failure = recording.failure();
    if (failure != null) {
      throw new IllegalStateException("a call failed: " + failure.getMessage(), failure);
    }
  }

  /** Returns the next call's number; negative: there shall be no more calls. */
  private long next() {
    if (stopped.get() || recording.failure() != null) {
      return -1;
    }
    long number = numbers.getAndIncrement();
    return load.count() > 0 && number >= load.count() ? -1 : number;
  }

  private interface Worker {
    void begin();
  }

  /** Calls that each start the next. */
  private final class Chain implements Worker {
    private final Caller caller;
    private final Call call = new Call(load, recording, ended -> begin());

    Chain(Caller caller) {
      this.caller = caller;
    }

    @Override
    public void begin() {
      long number = next();
      if (number < 0) {
        idle.countDown();
      } else {
        caller.start(call.due(System.nanoTime(), number));
      }
    }
  }

  /** A thread that starts each call at its time, as long as no more are under way than may be. */
  private final class Pacer implements Worker, Runnable {
    private record Slot(Caller caller, Call call) {}

    private final Schedule schedule;
    private final BlockingQueue<Slot> free = new LinkedBlockingQueue<>();
    private final int slots;

    Pacer(List<Caller> callers, Schedule schedule) {
      this.schedule = schedule;
      for (int i = 0; i < load.outstanding(); i++) {
        callers.forEach(this::addSlot);
      }
      this.slots = free.size();
    }

    private void addSlot(Caller caller) {
      AtomicReference<@Nullable Slot> mine = new AtomicReference<>();
      Call call = new Call(load, recording, ended -> free.add(Objects.requireNonNull(mine.get())));
      Slot slot = new Slot(caller, call);
      mine.set(slot);
      free.add(slot);
    }

    @Override
    public void begin() {
      Thread.ofPlatform().daemon().name("bench-pacer").start(this);
    }

    @Override
    public void run() {
      try {
        for (long number = next(); number >= 0; number = next()) {
          long due = schedule.awaitTurn(number);
          Slot slot = free.take();
          slot.caller.start(slot.call.due(due, number));
        }
        for (int i = 0; i < slots; i++) {
          free.take();
        }
        idle.countDown();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        recording.failed(e);
      }
    }
  }

  /** A thread that waits for each call; and, at a fixed rate, for the time of the next. */
  private final class Waiting implements Worker, Runnable {
    private final Caller caller;
    private final Schedule schedule;

    Waiting(Caller caller, Schedule schedule) {
      this.caller = caller;
      this.schedule = schedule;
    }

    @Override
    public void begin() {
      Thread.Builder builder =
          load.mode() == Mode.PLATFORM ? Thread.ofPlatform().daemon() : Thread.ofVirtual();
      builder.name("bench-caller").start(this);
    }

    @Override
    public void run() {
      Call call = new Call(load, recording, null);
      try {
        for (long number = next(); number >= 0; number = next()) {
          caller.exchange(call.due(schedule.awaitTurn(number), number));
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        recording.failed(e);
      } catch (RuntimeException e) {
        recording.failed(e);
      } finally {
        idle.countDown();
      }
    }
  }
}
