package io.verbena.testkit.callers;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.api.Answer;
import io.verbena.api.CallOptions;
import io.verbena.api.ClientCall;
import io.verbena.api.ClientInterceptor;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.link.runtime.ThrottledLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract of blocking callers, whether they step the event loop themselves or not. */
@Timeout(120)
public abstract class SteppingCallersContract {
  /** Enough for callers to get the loop, also on a loaded machine. */
  private static final int CHAIN = 400;

  private static final int MOST_CHAINS = 5;
  private static final int CALLBACKS = 300;

  /** How long it is tried at most: beside busy processes a call can take milliseconds. */
  private static final Duration PATIENCE = Duration.ofSeconds(4);

  /** The threads on which each result was made. */
  private final Map<Integer, Set<Thread>> made = new ConcurrentHashMap<>();

  private final AtomicInteger numbers = new AtomicInteger();
  private final long failuresBefore = failures();

  @SuppressWarnings("this-escape") // what subclasses say of links needs no state of theirs
  private final VerbenaServer server =
      settings(VerbenaServer.builder())
          .serve(PilotRpc.bind(new Pilot.Served()))
          .listen(address())
          .drainTime(Duration.ofMillis(100))
          .start();

  @SuppressWarnings("this-escape")
  private final VerbenaClient client = newClient();

  /** Returns the address at which the server listens, with port 0. */
  protected abstract String address();

  /** Requires that a caller got the loop. */
  protected void mustStep(boolean stepped) {
    assertThat(stepped).isTrue();
  }

  /** Adds the settings of the links. */
  protected VerbenaServer.Builder settings(VerbenaServer.Builder server) {
    return server;
  }

  /** Adds the settings of the links. */
  protected VerbenaClient.Builder settings(VerbenaClient.Builder client) {
    return client;
  }

  /** Returns whether callers on virtual threads get the loop. */
  protected boolean virtualThreadsStep() {
    return true;
  }

  /** Waits until a session has the path that is tested. */
  protected void ready(Session session) {}

  /** The kinds of a caller's thread. */
  enum Kind {
    PLATFORM,
    VIRTUAL;

    Thread start(Runnable task) {
      return this == VIRTUAL
          ? Thread.ofVirtual().start(task)
          : Thread.ofPlatform().daemon().start(task);
    }
  }

  private void assumeThatItSteps(Kind kind) {
    // One carrier is never held.
    boolean carriers = Runtime.getRuntime().availableProcessors() > 1 && virtualThreadsStep();
    assumeTrue(kind == Kind.PLATFORM || carriers);
  }

  private VerbenaClient newClient() {
    return settings(VerbenaClient.builder().loops(1)).build();
  }

  @BeforeEach
  void noteWhereResultsAreMade() {
    Pilot.Place.made =
        number ->
            made.computeIfAbsent(number, one -> ConcurrentHashMap.newKeySet())
                .add(Thread.currentThread());
  }

  @AfterEach
  void close() {
    Pilot.Place.made = number -> {};
    client.close();
    server.close();
    assertThat(failures()).as("failures on event loops").isEqualTo(failuresBefore);
  }

  /** Returns a session with the server. */
  protected final Session connected(VerbenaClient by) {
    Session session = by.connect(server.address().toString());
    ready(session);
    return session;
  }

  /** Makes a call; returns whether this thread has read the reply. */
  private boolean stepped(Pilot pilot) {
    int number = numbers.incrementAndGet();
    assertThat(pilot.echo(number).number()).isEqualTo(number);
    return requireNonNull(made.remove(number)).contains(Thread.currentThread());
  }

  /** Makes calls one after the other until this thread has read a reply. */
  private boolean getsToStep(Pilot pilot) {
    return untilDone(calls -> stepped(pilot));
  }

  /** Does something again and again until it says that it is done; returns whether it did. */
  private static boolean untilDone(IntPredicate step) {
    long begun = System.nanoTime();
    for (int calls = 0; calls < CHAIN * MOST_CHAINS; calls++) {
      if (step.test(calls)) {
        return true;
      }
      if (System.nanoTime() - begun > PATIENCE.toNanos()) {
        return false;
      }
    }
    return false;
  }

  private static <T> T on(Kind kind, Callable<T> task) throws Exception {
    FutureTask<T> done = new FutureTask<>(task);
    Thread _ = kind.start(done);
    return done.get(100, TimeUnit.SECONDS);
  }

  /** Returns whether a caller of a session gets the loop. */
  protected final boolean getsToStep(Session session) {
    return getsToStep(PilotRpc.client(session));
  }

  private static long failures() {
    return ThrottledLog.counts().entrySet().stream()
        .filter(one -> one.getKey().contains("failures on event loops"))
        .mapToLong(Map.Entry::getValue)
        .sum();
  }

  @ParameterizedTest
  @EnumSource
  void callsOneAfterTheOtherAreSteppedByTheirCaller(Kind kind) throws Exception {
    assumeThatItSteps(kind);
    Pilot pilot = PilotRpc.client(connected(client));
    mustStep(on(kind, () -> getsToStep(pilot)));
  }

  @Test
  void aCallEachFewMillisecondsIsSteppedToo() {
    assumeThatItSteps(Kind.PLATFORM);
    Pilot pilot = PilotRpc.client(connected(client));
    mustStep(
        untilDone(
            calls -> {
              LockSupport.parkNanos(3_000_000); // longer than the loop's own thread waits at first
              return stepped(pilot);
            }));
  }

  @ParameterizedTest
  @EnumSource
  void callsThroughInterceptorsAreSteppedToo(Kind kind) throws Exception {
    assumeThatItSteps(kind);
    AtomicInteger seen = new AtomicInteger();
    ClientInterceptor observer =
        new ClientInterceptor() {
          @Override
          public <R> CompletionStage<Answer<R>> intercept(ClientCall<R> call) {
            return call.proceed().whenComplete((answer, failure) -> seen.incrementAndGet());
          }
        };
    Pilot pilot =
        PilotRpc.client(
            connected(client), CallOptions.DEFAULT.withInterceptors(observer, observer));
    mustStep(on(kind, () -> getsToStep(pilot)));
    assertThat(seen.get()).isPositive().isEven();
  }

  @ParameterizedTest
  @EnumSource
  void anInterceptorMayMakeSeveralAttempts(Kind kind) throws Exception {
    AtomicInteger attempts = new AtomicInteger();
    ClientInterceptor hedger =
        new ClientInterceptor() {
          @Override
          public <R> CompletionStage<Answer<R>> intercept(ClientCall<R> call) {
            CompletionStage<Answer<R>> first = call.proceed();
            attempts.incrementAndGet();
            return attempts.get() % 3 == 0
                ? first.thenCompose(answer -> call.proceed())
                : first.applyToEither(call.proceed(), answer -> answer);
          }
        };
    Pilot pilot = PilotRpc.client(connected(client), CallOptions.DEFAULT.withInterceptors(hedger));
    boolean _ =
        on(
            kind,
            () ->
                untilDone(
                    calls -> {
                      boolean _ = stepped(pilot);
                      return calls > CHAIN;
                    }));
    assertThat(attempts.get()).isPositive();
  }

  // ---- code of others ----

  @ParameterizedTest
  @EnumSource
  void aCallerNeverRunsTheCallbacksOfOthers(Kind kind) throws Exception {
    Session session = connected(client);
    AtomicBoolean over = new AtomicBoolean();
    Set<Thread> callbacks = ConcurrentHashMap.newKeySet();
    AtomicInteger answers = new AtomicInteger();
    Thread others =
        Kind.PLATFORM.start(
            () -> {
              PilotRpc.Async async = PilotRpc.async(session);
              while (!over.get()) {
                CountDownLatch answered = new CountDownLatch(1);
                var _ =
                    async
                        .quick(1)
                        .whenComplete(
                            (number, failure) -> {
                              callbacks.add(Thread.currentThread());
                              answers.incrementAndGet();
                              answered.countDown();
                            });
                try {
                  answered.await();
                } catch (InterruptedException e) {
                  return;
                }
                LockSupport.parkNanos(1_000_000);
              }
            });
    Pilot pilot = PilotRpc.client(session);
    Thread caller =
        on(
            kind,
            () -> {
              boolean _ =
                  untilDone(
                      calls -> {
                        boolean _ = stepped(pilot);
                        return calls > CHAIN && answers.get() > CALLBACKS;
                      });
              return Thread.currentThread();
            });
    over.set(true);
    others.join();
    assertThat(callbacks).isNotEmpty().doesNotContain(caller);
  }

  @Test
  void aLoopWhoseSessionServesIsNotStepped() throws Exception {
    Session session = connected(client);
    Set<Thread> handlers = ConcurrentHashMap.newKeySet();
    session.serve(
        PilotRpc.bind(
            new Pilot.Served() {
              @Override
              public int quick(int number) {
                handlers.add(Thread.currentThread());
                return number;
              }
            }));
    Pilot pilot = PilotRpc.client(session);
    for (int calls = 0; calls < CHAIN; calls++) {
      assertThat(pilot.back(calls)).isEqualTo(calls);
      boolean _ = stepped(pilot);
    }
    assertThat(handlers).isNotEmpty().doesNotContain(Thread.currentThread());
  }

  @ParameterizedTest
  @EnumSource
  void theCodeOfAResultMayNotCallBlocking(Kind kind) throws Exception {
    try (VerbenaClient another = newClient()) {
      Pilot elsewhere = PilotRpc.client(connected(another));
      Pilot pilot = PilotRpc.client(connected(client));
      Queue<Object> outcomes = new ConcurrentLinkedQueue<>();
      Thread loopOrCaller =
          on(
              kind,
              () -> {
                boolean _ = getsToStep(pilot);
                Thread me = Thread.currentThread();
                Pilot.Place.made =
                    number -> {
                      if (Thread.currentThread() == me
                          || Thread.currentThread().getName().contains("client")) {
                        try {
                          outcomes.add(elsewhere.quick(number));
                        } catch (IllegalStateException e) {
                          outcomes.add("refused");
                        }
                      }
                    };
                for (int calls = 0; calls < CHAIN; calls++) {
                  Pilot.Place _ = pilot.echo(calls);
                }
                return me;
              });
      assertThat(loopOrCaller).isNotNull();
      assertThat(outcomes).isNotEmpty().containsOnly("refused");
    }
  }

  // ---- the stack ----

  @Test
  void aDeepStackIsNoDangerToOtherSessions() throws Exception {
    Pilot other = PilotRpc.client(connected(client));
    Pilot pilot = PilotRpc.client(connected(client));
    boolean _ = getsToStep(pilot); // classes are loaded on a shallow stack
    long before = failures();
    for (int kib : new int[] {200, 256, 512, 1024}) {
      AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
      Thread thread =
          new Thread(null, () -> failure.set(deeper(pilot, 0)), "deep", (long) kib << 10);
      thread.start();
      thread.join();
      assertThat(failure.get()).isNull();
      assertThat(other.quick(kib)).isEqualTo(kib);
    }
    assertThat(failures()).as("failures on event loops").isEqualTo(before);
    assertThat(pilot.quick(1)).isEqualTo(1);
  }

  /** Calls at many depths until the stack is full, and returns what should not have happened. */
  @SuppressWarnings("InfiniteRecursion") // until the stack is full
  private @Nullable Throwable deeper(Pilot pilot, int depth) {
    try {
      for (int calls = 0; calls < 3 && depth % 16 == 0; calls++) {
        boolean _ = stepped(pilot);
      }
      return deeper(pilot, depth + 1);
    } catch (StackOverflowError e) {
      return null; // of the caller's own frames
    } catch (RpcException e) {
      return e.status() == RpcStatus.INVALID_ARGUMENT ? null : e; // amid its arguments
    }
  }

  // ---- a caller that stands still ----

  @Test
  void aCallerThatStandsStillIsNamed() {
    assumeThatItSteps(Kind.PLATFORM);
    Pilot pilot = PilotRpc.client(connected(client));
    AtomicBoolean held = new AtomicBoolean();
    Thread me = Thread.currentThread();
    mustStep(getsToStep(pilot));
    long before = standstills();
    Pilot.Place.made =
        number -> {
          if (Thread.currentThread() == me && held.compareAndSet(false, true)) {
            LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(4));
          }
        };
    mustStep(
        untilDone(
            calls -> {
              Pilot.Place _ = pilot.echo(calls);
              return held.get();
            }));
    assertThat(standstills()).isGreaterThan(before);
  }

  private static long standstills() {
    return ThrottledLog.counts().entrySet().stream()
        .filter(one -> one.getKey().contains("stood still"))
        .mapToLong(Map.Entry::getValue)
        .sum();
  }

  // ---- interrupts, deadlines and ends ----

  @ParameterizedTest
  @EnumSource
  void anInterruptCancelsTheCallAndNothingElse(Kind kind) throws Exception {
    Session session = connected(client);
    String path = session.path().toString();
    Pilot pilot = PilotRpc.client(session);
    SplittableRandom random = new SplittableRandom(7);
    for (int round = 0; round < 50; round++) {
      CountDownLatch begun = new CountDownLatch(1);
      FutureTask<Boolean> cancelled =
          new FutureTask<>(
              () -> {
                try {
                  for (int calls = 0; ; calls++) {
                    boolean _ = stepped(pilot);
                    if (calls == 20) {
                      begun.countDown();
                    }
                  }
                } catch (RpcException e) {
                  assertThat(e.status()).isEqualTo(RpcStatus.CANCELLED);
                  return Thread.currentThread().isInterrupted();
                }
              });
      Thread caller = kind.start(cancelled);
      begun.await();
      LockSupport.parkNanos(random.nextInt(500_000));
      caller.interrupt();
      assertThat(cancelled.get(60, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(pilot.quick(3)).isEqualTo(3);
    assertThat(session.path().toString()).isEqualTo(path);
  }

  @ParameterizedTest
  @EnumSource
  void aDeadlineEndsACallThatIsStepped(Kind kind) throws Exception {
    Session session = connected(client);
    Pilot pilot = PilotRpc.client(session);
    Pilot hasty = PilotRpc.client(session, CallOptions.timeout(Duration.ofMillis(20)));
    Optional<RpcStatus> status =
        on(
            kind,
            () -> {
              boolean _ = getsToStep(pilot);
              try {
                Pilot.Place _ = hasty.late(1, 10_000);
                return Optional.<RpcStatus>empty();
              } catch (RpcException e) {
                return Optional.of(e.status());
              }
            });
    assertThat(status).contains(RpcStatus.DEADLINE_EXCEEDED);
  }

  @Test
  void aClientClosesAmidCalls() throws Exception {
    SplittableRandom random = new SplittableRandom(8);
    for (int round = 0; round < 30; round++) {
      List<FutureTask<RpcStatus>> callers = new ArrayList<>();
      try (VerbenaClient closing = newClient()) {
        Pilot pilot = PilotRpc.client(connected(closing));
        for (Kind kind : Kind.values()) {
          FutureTask<RpcStatus> calls = new FutureTask<>(() -> untilItFails(pilot));
          callers.add(calls);
          Thread _ = kind.start(calls);
        }
        LockSupport.parkNanos(random.nextInt(5_000_000));
      }
      for (FutureTask<RpcStatus> calls : callers) {
        assertThat(calls.get(60, TimeUnit.SECONDS))
            .isIn(RpcStatus.CANCELLED, RpcStatus.UNAVAILABLE);
      }
    }
  }

  private static RpcStatus untilItFails(Pilot pilot) {
    try {
      while (true) {
        int _ = pilot.quick(1);
      }
    } catch (RpcException e) {
      return e.status();
    }
  }

  @Test
  void theCodeOfAResultMayCloseItsClient() {
    assumeThatItSteps(Kind.PLATFORM);
    VerbenaClient closing = newClient();
    Pilot pilot = PilotRpc.client(connected(closing));
    mustStep(getsToStep(pilot));
    Thread me = Thread.currentThread();
    Pilot.Place.made =
        number -> {
          if (Thread.currentThread() == me) {
            closing.close();
          }
        };
    boolean ended =
        untilDone(
            calls -> {
              try {
                Pilot.Place _ = pilot.echo(calls);
                return false;
              } catch (RpcException e) {
                return true; // of the close amid the call
              }
            });
    mustStep(ended);
    closing.close();
  }

  // ---- many callers ----

  @Test
  void callersOfAllKindsGetTheirAnswers() throws Exception {
    Session session = connected(client);
    Pilot pilot = PilotRpc.client(session);
    AtomicBoolean over = new AtomicBoolean();
    List<FutureTask<Integer>> all = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      for (int i = 0; i < 4; i++) {
        SplittableRandom random = new SplittableRandom(i);
        FutureTask<Integer> calls =
            new FutureTask<>(
                () -> {
                  int made = 0;
                  while (!over.get()) {
                    for (int burst = random.nextInt(60); burst >= 0; burst--) {
                      boolean _ = stepped(pilot);
                      made++;
                    }
                    LockSupport.parkNanos(random.nextInt(3_000_000));
                  }
                  return made;
                });
        all.add(calls);
        Thread _ = kind.start(calls);
      }
    }
    LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(2));
    over.set(true);
    for (FutureTask<Integer> calls : all) {
      assertThat(calls.get(60, TimeUnit.SECONDS)).isPositive();
    }
  }

  @Test
  void aVirtualThreadThatCallsWithoutEndLetsOthersRun() throws Exception {
    Pilot pilot = PilotRpc.client(connected(client));
    AtomicBoolean over = new AtomicBoolean();
    int callers = 2 * Runtime.getRuntime().availableProcessors();
    List<FutureTask<Integer>> endless = new ArrayList<>();
    for (int i = 0; i < callers; i++) {
      FutureTask<Integer> calls =
          new FutureTask<>(
              () -> {
                int made = 0;
                while (!over.get()) {
                  boolean _ = stepped(pilot);
                  made++;
                }
                return made;
              });
      endless.add(calls);
      Thread _ = Kind.VIRTUAL.start(calls);
    }
    for (int i = 0; i < 20; i++) {
      assertThat(on(Kind.VIRTUAL, () -> "run")).isEqualTo("run");
    }
    over.set(true);
    for (FutureTask<Integer> calls : endless) {
      assertThat(calls.get(60, TimeUnit.SECONDS)).isNotNull();
    }
  }

  @Test
  void aCallersThreadKeepsNothing() throws Exception {
    assumeThatItSteps(Kind.PLATFORM);
    Pilot pilot = PilotRpc.client(connected(client));
    Optional<List<String>> kept =
        on(
            Kind.PLATFORM,
            () -> getsToStep(pilot) ? Optional.of(kept()) : Optional.<List<String>>empty());
    mustStep(kept.isPresent());
    assertThat(kept.orElseThrow()).isEmpty();
  }

  /** Returns what the links keep for this thread, as far as the module of the links knows. */
  protected List<String> kept() {
    return List.of();
  }
}
