package io.verbena.it.two;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.TransferException;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.it.Pattern;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Calls, fetches and pushes on one session, one after the other of each kind, several calls at a
 * time, until told to stop. Every call is an entry of its own in the ledger.
 */
final class Traffic implements AutoCloseable {
  /** Longer than any fault and all that comes after it. */
  static final Duration LONGEST = Duration.ofSeconds(150);

  private static final int AT_A_TIME = 16;
  static final int BYTES = 1 << 20;
  private static final TransferOptions CHECKED = TransferOptions.DEFAULT.withChecksum();

  /** Whoever was refused tries again after that, and not at once. */
  private static final long PAUSE_MILLIS = 50;

  private final Session session;
  private final AtomicInteger numbers;
  private final int first;
  private final Map<Integer, Execution> outcomes = new ConcurrentHashMap<>();
  private final Queue<String> problems = new ConcurrentLinkedQueue<>();
  private final AtomicInteger failedCalls = new AtomicInteger();
  private final AtomicInteger fetched = new AtomicInteger();
  private final AtomicInteger pushed = new AtomicInteger();
  private final AtomicInteger failedTransfers = new AtomicInteger();
  private final Arena arena = Arena.ofAuto();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Future<?> caller;
  private final Future<?> fetcher;
  private final Future<?> pusher;
  private volatile boolean stopped;

  /** Begins. */
  Traffic(Session session, AtomicInteger numbers) {
    this.session = session;
    this.numbers = numbers;
    this.first = numbers.get();
    caller = threads.submit(this::call);
    fetcher = threads.submit(this::fetch);
    pusher = threads.submit(this::push);
  }

  private Void call() throws Exception {
    LedgerRpc.Async ledger = LedgerRpc.async(session);
    Semaphore room = new Semaphore(AT_A_TIME);
    int failedBefore = 0;
    while (!stopped) {
      acquire(room, 1);
      if (failedCalls.get() != failedBefore) {
        failedBefore = failedCalls.get();
        TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
      }
      int number = numbers.getAndIncrement();
      ledger
          .enter(number)
          .whenComplete(
              (answer, failure) -> {
                outcomes.put(number, outcome(number, answer, failure));
                room.release();
              });
    }
    acquire(room, AT_A_TIME);
    return null;
  }

  private static void acquire(Semaphore room, int permits) throws InterruptedException {
    if (!room.tryAcquire(permits, LONGEST.toSeconds() + 30, TimeUnit.SECONDS)) {
      throw new AssertionError("calls have no end");
    }
  }

  private Execution outcome(int number, Integer answer, Throwable failure) {
    if (failure == null) {
      if (answer != number + 1) {
        problems.add("call " + number + " got the answer " + answer);
      }
      return Execution.EXECUTED;
    }
    failedCalls.incrementAndGet();
    if (failure instanceof RpcException known) {
      return known.execution();
    }
    problems.add("call " + number + ": " + failure);
    return Execution.UNKNOWN;
  }

  private Void fetch() throws Exception {
    MemorySegment memory = arena.allocate(BYTES, 4096);
    ObjectRef[] object = new ObjectRef[1];
    return repeat(
        fetched,
        () -> {
          if (object[0] == null) {
            object[0] = LedgerRpc.client(session).publish(BYTES);
          }
          memory.fill((byte) 0);
          try {
            session.objects().fetch(object[0], Landing.of(memory), CHECKED).get(LONGEST).close();
          } catch (TransferException e) {
            object[0] = null; // it was another server's
            throw e;
          }
          Pattern.check(memory, 0);
          return null;
        });
  }

  private Void push() throws Exception {
    MemorySegment memory = arena.allocate(BYTES, 4096);
    Pattern.fill(memory, 0);
    return repeat(
        pushed,
        () -> {
          session.objects().push("pattern", Source.of(memory), CHECKED).get(LONGEST).close();
          return null;
        });
  }

  private Void repeat(AtomicInteger successes, Callable<Void> once) throws Exception {
    while (!stopped) {
      try {
        once.call();
        successes.incrementAndGet();
      } catch (TransferException | RpcException e) {
        failedTransfers.incrementAndGet();
        TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
      }
    }
    return null;
  }

  /** Returns when some more of each kind have succeeded. */
  void awaitMore() {
    int calls = outcomes.size() - failedCalls.get() + 100;
    int fetches = fetched.get() + 2;
    int pushes = pushed.get() + 2;
    await()
        .atMost(LONGEST)
        .untilAsserted(
            () -> {
              assertThat(outcomes.size() - failedCalls.get()).isGreaterThanOrEqualTo(calls);
              assertThat(fetched).hasValueGreaterThanOrEqualTo(fetches);
              assertThat(pushed).hasValueGreaterThanOrEqualTo(pushes);
            });
  }

  /** Stops, and returns when everything has come to its end: it does, or this fails. */
  void stop() throws Exception {
    stopped = true;
    for (Future<?> one : new Future<?>[] {caller, fetcher, pusher}) {
      one.get(LONGEST.toSeconds() + 60, TimeUnit.SECONDS);
    }
  }

  /** Every call and transfer has succeeded, and every call was executed once. */
  void assertNothingFailed() {
    assertThat(failedCalls).hasValue(0);
    assertThat(failedTransfers).hasValue(0);
    assertOutcomesAreTrue();
  }

  /** What calls were told of their execution is so. */
  void assertOutcomesAreTrue() {
    byte[] times = LedgerRpc.client(session).timesEntered(first, numbers.get() - first);
    assertThat(problems).isEmpty();
    assertThat(outcomes).hasSize(times.length);
    outcomes.forEach(
        (number, outcome) -> {
          int entered = times[number - first];
          String call = "call " + number + ", " + outcome;
          switch (outcome) {
            case EXECUTED -> assertThat(entered).as(call).isOne();
            case NOT_EXECUTED -> assertThat(entered).as(call).isZero();
            case UNKNOWN -> assertThat(entered).as(call).isBetween(0, 1);
          }
        });
  }

  int failures() {
    return failedCalls.get() + failedTransfers.get();
  }

  @Override
  public void close() {
    stopped = true;
    threads.shutdownNow();
  }
}
