package io.verbena.core.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.CallOptions;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.core.Probe;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaClient;
import io.verbena.testkit.SteppedWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Replies that turn out longer than all earlier ones of their method, of handlers that run already
 * when the first of them shows it. The handlers run at the client, on threads, and the server asks.
 */
class OutgrownRepliesTest {
  private static final int LENGTH = 100_000;
  private static final int CALLS = 50;
  private static final int SHORT_ONES = 100;

  /** The frames of 64 KiB that are on their way, two for each reply. */
  private static final int RING_FRAMES = 16;

  /** One session's part of an eighth, the shared half, one reply more, and those on their way. */
  private static final int FITTING = 1 + 4 + 1 + RING_FRAMES / 2;

  private static final long MEMORY = 8L * (LENGTH + 1_000);
  private static final CallOptions PATIENT = CallOptions.timeout(Duration.ofMinutes(10));

  private final SteppedWorld world = new SteppedWorld(SessionLimits.DEFAULT, RING_FRAMES);
  private final List<Session> accepted = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicInteger ended = new AtomicInteger();
  private final AtomicInteger begun = new AtomicInteger();
  private final AtomicInteger made = new AtomicInteger();
  private final CountDownLatch all = new CountDownLatch(1);

  @AfterEach
  void close() throws InterruptedException {
    world.close();
    for (Thread thread : threads) {
      thread.join(Duration.ofSeconds(10));
      assertThat(thread.isAlive()).as("a handler's thread").isFalse();
    }
  }

  /** Answers at length once all calls have begun. */
  private final class Varying extends Probe.Plain {
    @Override
    public String slow(String text) throws InterruptedException {
      if (text.startsWith("short")) {
        return text;
      }
      begun.incrementAndGet();
      all.await();
      made.incrementAndGet();
      return text + "x".repeat(LENGTH);
    }

    @Override
    public String echo(String text) {
      return text.startsWith("short") ? text : text + "x".repeat(LENGTH);
    }
  }

  private Executor onThreads(boolean virtual) {
    Thread.Builder builder = virtual ? Thread.ofVirtual() : Thread.ofPlatform().daemon();
    return task ->
        threads.add(
            builder.start(
                () -> {
                  task.run();
                  ended.incrementAndGet();
                }));
  }

  /** The server, which asks, and a client whose method has always had short results. */
  private Probe.Stub open(boolean virtual) {
    world.server(s -> s.serve(Probe.bind(new Probe.Plain())).onSession(accepted::add));
    VerbenaClient client = world.client(c -> c.maxReplyBytes(MEMORY).handlers(onThreads(virtual)));
    Session session = client.session(world.address());
    session.serve(Probe.bind(new Varying()));
    CompletableFuture<String> open = new Probe.Stub(session).submit(Probe.ECHO, "open");
    world.runUntil(open::isDone);
    Probe.Stub back = new Probe.Stub(Objects.requireNonNull(accepted.getFirst()), PATIENT);
    for (int i = 0; i < SHORT_ONES; i++) {
      CompletableFuture<String> call = back.submit(Probe.SLOW, "short");
      world.runUntil(call::isDone);
      CompletableFuture<String> onLoop = back.submit(Probe.ECHO, "short");
      world.runUntil(onLoop::isDone);
    }
    awaitThreads(() -> ended.get() == SHORT_ONES);
    ended.set(0);
    threads.clear();
    return back;
  }

  /** Steps at the same moment of the test's clock until threads have done something. */
  private void awaitThreads(BooleanSupplier condition) {
    awaitThreads(condition, Duration.ZERO);
  }

  /** Lets so much time pass each millisecond, so that it is not ahead of the threads. */
  private void awaitThreads(BooleanSupplier condition, Duration step) {
    long givenUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(givenUp);
      world.pass(step);
      LockSupport.parkNanos(1_000_000);
    }
    world.settle();
  }

  private boolean allWaitOrHaveEnded() {
    return made.get() == CALLS
        && threads.stream()
            .allMatch(thread -> !thread.isAlive() || thread.getState() == Thread.State.WAITING);
  }

  /** All handlers have begun, and the peer takes nothing; returns how many could end. */
  private List<CompletableFuture<String>> allAtOnce(Probe.Stub back) {
    List<CompletableFuture<String>> calls = new ArrayList<>();
    for (int i = 0; i < CALLS; i++) {
      calls.add(back.submit(Probe.SLOW, i + " "));
    }
    awaitThreads(() -> begun.get() == CALLS);
    world.pauseServer(true);
    all.countDown();
    awaitThreads(this::allWaitOrHaveEnded);
    return calls;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void waitForThePeerToTakeEarlierOnes(boolean virtual) {
    List<CompletableFuture<String>> calls = allAtOnce(open(virtual));
    assertThat(ended.get()).as("replies that are encoded").isBetween(2, FITTING);
    world.pauseServer(false);
    for (int i = 0; i < calls.size(); i++) {
      CompletableFuture<String> call = calls.get(i);
      awaitThreads(call::isDone, Duration.ofMillis(1));
      assertThat(call.join()).hasSize((i + " ").length() + LENGTH).startsWith(i + " ");
    }
  }

  @Test
  void failWhileThePeerTakesNothingAndSayWhatBoundsThem() {
    List<CompletableFuture<String>> calls = allAtOnce(open(true));
    world.pass(Duration.ofSeconds(11));
    awaitThreads(() -> ended.get() == CALLS);
    world.pauseServer(false);
    calls.forEach(call -> world.runUntil(call::isDone));
    List<Throwable> failures =
        calls.stream()
            .filter(CompletableFuture::isCompletedExceptionally)
            .map(CompletableFuture::exceptionNow)
            .toList();
    assertThat(failures)
        .hasSizeGreaterThanOrEqualTo(CALLS - FITTING)
        .allSatisfy(
            failure ->
                assertThat(failure)
                    .isInstanceOfSatisfying(
                        RpcException.class,
                        told -> assertThat(told.status()).isEqualTo(RpcStatus.RESOURCE_EXHAUSTED))
                    .hasMessageContaining("maxReplyBytes"));
  }

  @Test
  void endWithTheirSession() {
    List<CompletableFuture<String>> calls = allAtOnce(open(false));
    world.pauseServer(false);
    accepted.getFirst().close();
    awaitThreads(() -> ended.get() == CALLS);
    assertThat(calls).allMatch(CompletableFuture::isDone);
  }

  /** A handler on the loop cannot wait. Those behind it start when there is memory. */
  @Test
  void ofNonBlockingHandlersFailOrWaitToStart() {
    Probe.Stub back = open(true);
    List<CompletableFuture<String>> calls = new ArrayList<>();
    for (int i = 0; i < CALLS; i++) {
      calls.add(back.submit(Probe.ECHO, i + " "));
    }
    long lost =
        calls.stream()
            .peek(call -> world.runUntil(call::isDone))
            .filter(CompletableFuture::isCompletedExceptionally)
            .count();
    assertThat(lost).isZero();
  }
}
