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
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Calls both ways, fetches and pushes on one session, one after the other of each kind, several
 * calls at a time, until told to stop. Every call is an entry of its own in the ledger of the end
 * that it calls.
 */
final class Traffic implements AutoCloseable {
  /** Longer than any fault and all that comes after it. */
  static final Duration LONGEST = Duration.ofSeconds(150);

  static final int BYTES = 1 << 20;

  /** So many at the request of one call. */
  private static final int CALLS_BACK = 50;

  private static final TransferOptions CHECKED = TransferOptions.DEFAULT.withChecksum();

  private final Session session;
  private final AtomicInteger numbers;
  private final int first;
  private final EnterCalls calls;
  private final EntriesHere entriesHere;
  private final Map<Integer, Execution> toldThere = new ConcurrentHashMap<>();
  private final AtomicInteger calledBack = new AtomicInteger();
  private final AtomicInteger fetched = new AtomicInteger();
  private final AtomicInteger pushed = new AtomicInteger();
  private final AtomicInteger failedTransfers = new AtomicInteger();
  private final Arena arena = Arena.ofAuto();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Future<?> caller;
  private final Future<?> fetcher;
  private final Future<?> pusher;
  private final Future<?> calledByPeer;
  private volatile boolean stopped;

  /** Begins. */
  Traffic(Session session, AtomicInteger numbers, EntriesHere entriesHere) {
    this.session = session;
    this.numbers = numbers;
    this.entriesHere = entriesHere;
    this.calls = new EnterCalls(LedgerRpc.async(session)::enter);
    this.first = numbers.get();
    caller = threads.submit(this::call);
    fetcher = threads.submit(this::fetch);
    pusher = threads.submit(this::push);
    calledByPeer = threads.submit(this::beCalledBack);
  }

  private Void call() throws Exception {
    while (!stopped) {
      calls.call(numbers.getAndIncrement());
    }
    calls.awaitEnd();
    return null;
  }

  private Void beCalledBack() throws Exception {
    return repeat(
        calledBack,
        () -> {
          int from = entriesHere.unused(CALLS_BACK);
          Map<Integer, Execution> told = LedgerRpc.client(session).callBack(from, CALLS_BACK);
          assertThat(told).hasSize(CALLS_BACK);
          toldThere.putAll(told);
          return null;
        });
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
        TimeUnit.MILLISECONDS.sleep(EnterCalls.PAUSE_MILLIS);
      }
    }
    return null;
  }

  /** Returns when some more of each kind have succeeded. */
  void awaitMore() {
    int succeeded = succeeded() + 100;
    int back = calledBack.get() + 2;
    int fetches = fetched.get() + 2;
    int pushes = pushed.get() + 2;
    await()
        .atMost(LONGEST)
        .untilAsserted(
            () -> {
              assertThat(succeeded()).isGreaterThanOrEqualTo(succeeded);
              assertThat(calledBack).hasValueGreaterThanOrEqualTo(back);
              assertThat(fetched).hasValueGreaterThanOrEqualTo(fetches);
              assertThat(pushed).hasValueGreaterThanOrEqualTo(pushes);
            });
  }

  private int succeeded() {
    return calls.outcomes().size() - calls.failed();
  }

  /** Stops, and returns when everything has come to its end: it does, or this fails. */
  void stop() throws Exception {
    stopped = true;
    for (Future<?> one : new Future<?>[] {caller, fetcher, pusher, calledByPeer}) {
      one.get(LONGEST.toSeconds() + 60, TimeUnit.SECONDS);
    }
  }

  /** Every call, there and back, and every transfer has succeeded; calls were executed once. */
  void assertNothingFailed() {
    assertThat(calls.failed()).isZero();
    assertThat(failedTransfers).hasValue(0);
    assertThat(toldThere.values()).containsOnly(Execution.EXECUTED);
    assertOutcomesAreTrue();
  }

  /** The reported execution of each call is true. */
  void assertOutcomesAreTrue() {
    byte[] times = LedgerRpc.client(session).timesEntered(first, numbers.get() - first);
    assertThat(calls.problems()).isEmpty();
    assertThat(calls.outcomes()).hasSize(times.length);
    calls
        .outcomes()
        .forEach((number, told) -> EnterCalls.assertTrue(number, told, times[number - first]));
    entriesHere.assertTrue(toldThere);
  }

  int failures() {
    return calls.failed() + failedTransfers.get();
  }

  @Override
  public void close() {
    stopped = true;
    threads.shutdownNow();
  }
}
