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
 * Runs a load on the connections of one contestant for one turn. In a closed loop a call is due
 * when another has ended. At a fixed rate each call has a due time. Its wait counts, and all calls
 * that are due in the turn are made and counted, even if they end late.
 */
public final class LoadLoop {
  private static final Duration RAMP = Duration.ofMillis(200);

  /** No call and no large object takes longer. */
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  /** After the failure of one call, the loop waits this long for the others. */
  private static final Duration LITTLE_PATIENCE = Duration.ofSeconds(5);

  private static final long PROGRESS_NANOS = 1_000_000_000L;
  private static final long LOOK_NANOS = 1_000_000L;

  private final Load load;

  /** The number of calls; 0 for as many as end in time. */
  private final long calls;

  private final Duration patience;
  private final Recording recording = new Recording();
  private final Schedule schedule;
  private final AtomicLong numbers = new AtomicLong();
  private final AtomicBoolean stopped = new AtomicBoolean();
  private final CountDownLatch idle;
  private final List<Worker> workers = new ArrayList<>();

  private LoadLoop(Load load, List<Caller> callers, Duration patience) {
    this.load = load;
    this.patience = patience;
    this.calls = load.calls();
    this.schedule = new Schedule(load.ratePerSecond());
    // Callers wait for the hand-over of a one-way message, and for the opening of a session.
    boolean async =
        load.mode() == Mode.ASYNC && load.kind() != Kind.ONEWAY && load.kind() != Kind.CONNECT;
    if (async && load.isPaced()) {
      workers.add(new Pacer(callers));
    } else {
      for (Caller caller : callers) {
        for (int i = 0; i < load.outstanding(); i++) {
          workers.add(async ? new Chain(caller) : new Waiting(caller));
        }
      }
    }
    this.idle = new CountDownLatch(workers.size());
  }

  /**
   * Runs one turn on open connections.
   *
   * @throws IllegalStateException if a call failed or did not end, or the rate is far too high
   */
  public static Turn run(Load load, List<Caller> callers, Watcher watcher)
      throws InterruptedException {
    return run(load, callers, watcher, PATIENCE);
  }

  /** Runs one turn, which fails if no call ends for {@code patience}. */
  static Turn run(Load load, List<Caller> callers, Watcher watcher, Duration patience)
      throws InterruptedException {
    LoadLoop loop = new LoadLoop(load, callers, patience);
    try {
      return loop.run(callers, watcher);
    } finally {
      loop.stopped.set(true);
    }
  }

  private Turn run(List<Caller> callers, Watcher watcher) throws InterruptedException {
    boolean counted = calls > 0;
    if (!counted) {
      workers.forEach(Worker::begin);
      Thread.sleep(RAMP);
    }
    watcher.opened();
    long besideBefore = besideSoFar(callers);
    recording.open();
    if (counted) {
      schedule.begin();
      workers.forEach(Worker::begin);
    }
    watch(watcher, counted ? Long.MAX_VALUE : load.duration().toNanos());
    if (recording.failure() != null) {
      stopped.set(true);
      awaitIdle();
    }
    if (counted && load.kind() == Kind.ONEWAY) {
      callers.forEach(Caller::settle); // messages may not have arrived yet
    }
    long nanos = recording.close();
    if (load.isPaced()) {
      nanos = Math.max(schedule.passed(), schedule.nanos(calls));
    }
    long beside = besideSoFar(callers) - besideBefore;
    watcher.closed();
    stopped.set(true);
    awaitIdle();
    callers.forEach(Caller::settle);
    return recording.turn(nanos / 1e9, beside);
  }

  private static long besideSoFar(List<Caller> callers) {
    return callers.stream().mapToLong(Caller::bytesBeside).sum();
  }

  /** Waits until the time has passed and a call has ended, or until all calls have ended. */
  private void watch(Watcher watcher, long forNanos) throws InterruptedException {
    long start = System.nanoTime();
    long passed = 0;
    long ended = 0;
    long endedAt = 0;
    while (recording.failure() == null && (passed < forNanos || ended == 0)) {
      long wait = Math.clamp(forNanos - passed, LOOK_NANOS, PROGRESS_NANOS);
      if (idle.await(wait, TimeUnit.NANOSECONDS)) {
        return;
      }
      passed = System.nanoTime() - start;
      long now = recording.countSoFar();
      if (now != ended) {
        ended = now;
        endedAt = passed;
      }
      watcher.progress(ended, passed / 1e9);
      if (recording.failure() == null) {
        loseNoPatience(ended, passed - endedAt, passed);
      }
    }
  }

  /** Fails a turn that makes no progress. */
  private void loseNoPatience(long ended, long sinceLast, long passed) {
    long longest = patience.toNanos();
    if (Math.min(sinceLast, passed - schedule.nanos(ended)) > longest) {
      throw new IllegalStateException("no call has ended for " + inSeconds(patience));
    }
    if (load.isPaced() && passed - schedule.nanos(calls) > longest) {
      throw new IllegalStateException(
          "of %,d calls that were due, %,d had ended %s later; use a lower rate"
              .formatted(calls, ended, inSeconds(patience)));
    }
  }

  private void awaitIdle() throws InterruptedException {
    boolean isLost = recording.failure() != null && patience.compareTo(LITTLE_PATIENCE) > 0;
    Duration longest = isLost ? LITTLE_PATIENCE : patience;
    boolean isIdle = idle.await(longest.toNanos(), TimeUnit.NANOSECONDS);
    throwFailure();
    if (!isIdle) {
      throw new IllegalStateException("calls had not ended " + inSeconds(longest) + " later");
    }
  }

  private static String inSeconds(Duration time) {
    return time.toMillis() / 1e3 + " s";
  }

  private void throwFailure() {
    Throwable failure = recording.failure();
    if (failure != null) {
      String why = failure.getMessage() == null ? failure.toString() : failure.getMessage();
      throw new IllegalStateException("a call failed: " + why, failure);
    }
  }

  /** Returns the number of the next call; negative if there are no more calls. */
  private long next() {
    if (stopped.get() || recording.failure() != null) {
      return -1;
    }
    long number = numbers.getAndIncrement();
    return calls > 0 && number >= calls ? -1 : number;
  }

  /** Starts a call. A call whose start throws has failed. */
  private static void start(Caller caller, Call call) {
    try {
      caller.start(call);
    } catch (RuntimeException e) {
      call.failed(e);
    }
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
        start(caller, call.due(System.nanoTime(), number));
      }
    }
  }

  /** A thread that starts each call at its time, within the limit of outstanding calls. */
  private final class Pacer implements Worker, Runnable {
    private record Slot(Caller caller, Call call) {}

    private final BlockingQueue<Slot> free = new LinkedBlockingQueue<>();
    private final int slots;

    Pacer(List<Caller> callers) {
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
          start(slot.caller, slot.call.due(due, number));
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

  /** A thread that waits for each call, and at a fixed rate for the due time of the next. */
  private final class Waiting implements Worker, Runnable {
    private final Caller caller;

    Waiting(Caller caller) {
      this.caller = caller;
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
