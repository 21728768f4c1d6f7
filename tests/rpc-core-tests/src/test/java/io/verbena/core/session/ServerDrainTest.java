package io.verbena.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.CallContext;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.SessionState;
import io.verbena.core.Probe;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.SteppedWorld;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A server that takes no more calls, and loses none. */
class ServerDrainTest {
  private static final Duration DRAIN_TIME = Duration.ofSeconds(3);

  private final SteppedWorld world = new SteppedWorld();
  private final Probe.Counting probe = new Probe.Counting();
  private final VerbenaServer server =
      world.server(s -> s.serve(Probe.bind(probe)).drainTime(DRAIN_TIME));
  private final Session session = world.client().session(world.address());
  private final Probe.Stub stub = new Probe.Stub(session);

  private void open() {
    CompletableFuture<String> first = stub.submit(Probe.ECHO, "first");
    world.runUntil(first::isDone);
    assertThat(session.state()).isEqualTo(SessionState.OPEN);
  }

  @AfterEach
  void leavesNoSlotInUse() {
    world.pass(Duration.ofMillis(100));
    assertThat(world.client().slotsInUse()).isZero();
    assertThat(server.slotsInUse()).isZero();
    world.close();
  }

  /** Steps loops, not handlers, until nothing moves. */
  private void stepWithoutHandlers() {
    for (int i = 0; i < 20; i++) {
      world.step();
    }
  }

  private static RpcException failureOf(CompletableFuture<String> call) {
    return (RpcException) call.exceptionNow();
  }

  @Test
  void aCallThatRunsEndsAndItsResultArrivesBeforeTheServerIsDrained() {
    open();
    CompletableFuture<String> running = stub.submit(Probe.SLOW, "running");
    stepWithoutHandlers();
    CompletableFuture<Void> drained = server.drain().toCompletableFuture();
    world.clock().advance(Duration.ofSeconds(1));
    stepWithoutHandlers();
    assertThat(session.state()).isEqualTo(SessionState.DRAINING);
    assertThat(drained).isNotDone();
    world.pass(Duration.ofMillis(100));
    assertThat(running).isCompletedWithValue("running");
    assertThat(drained).isCompleted();
  }

  @Test
  void takesCallsUntilItIsOutOfItsRegistry() {
    open();
    CompletableFuture<Void> left = new CompletableFuture<>();
    server.beforeDrain(() -> left);
    CompletableFuture<Void> drained = server.drain().toCompletableFuture();
    CompletableFuture<String> meanwhile = stub.submit(Probe.ECHO, "meanwhile");
    world.pass(Duration.ofMillis(100));
    assertThat(meanwhile).isCompletedWithValue("meanwhile");
    assertThat(session.state()).isEqualTo(SessionState.OPEN);
    left.complete(null);
    world.pass(Duration.ofMillis(100));
    assertThat(drained).isCompleted();
  }

  @Test
  void drainsAllTheSameWhereItsRegistryFails() {
    server.beforeDrain(() -> CompletableFuture.failedFuture(new IllegalStateException("no way")));
    server.beforeDrain(
        () -> {
          throw new IllegalStateException("at once");
        });
    CompletableFuture<Void> drained = server.drain().toCompletableFuture();
    world.pass(Duration.ofMillis(100));
    assertThat(drained).isCompleted();
  }

  @Test
  void whatIsOnItsWayWhenTheServerStopsIsAnsweredAsNotExecuted() {
    open();
    List<CompletableFuture<String>> calls = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      calls.add(stub.submit(i % 2 == 0 ? Probe.ECHO : Probe.SLOW, "call " + i));
    }
    world.pauseServer(true);
    stepWithoutHandlers(); // they have left
    CompletableFuture<Void> drained = server.drain().toCompletableFuture();
    world.pauseServer(false);
    world.pass(Duration.ofMillis(100));
    assertThat(drained).isCompleted();
    assertThat(calls)
        .allSatisfy(
            call -> {
              assertThat(failureOf(call).status()).isEqualTo(RpcStatus.UNAVAILABLE);
              assertThat(failureOf(call).execution()).isEqualTo(Execution.NOT_EXECUTED);
              assertThat(failureOf(call)).hasMessageContaining("shutting down");
            });
    assertThat(probe.executions).containsOnlyKeys("first");
  }

  @Test
  void callsMadeMeanwhileWaitForTheNextServer() {
    open();
    server.drain();
    world.settle();
    CompletableFuture<String> call = stub.submit(Probe.ECHO, "later");
    world.pass(Duration.ofMillis(200));
    assertThat(call).isNotDone();
    server.close();
    Probe.Counting next = new Probe.Counting();
    world.server(s -> s.serve(Probe.bind(next)));
    world.runUntil(call::isDone);
    assertThat(call).isCompletedWithValue("later");
    assertThat(next.executions).containsOnlyKeys("later");
  }

  @Test
  void whereThereIsNoNextServerTheyFailAsNotExecuted() {
    open();
    server.drain();
    world.settle();
    CompletableFuture<String> call = stub.submit(Probe.ECHO, "later");
    world.settle();
    server.close();
    world.runUntil(call::isDone);
    assertThat(failureOf(call).status()).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(failureOf(call).execution()).isEqualTo(Execution.NOT_EXECUTED);
  }

  @Test
  void aResultReachesASessionThatResumesMeanwhile() {
    open();
    CompletableFuture<String> running = stub.submit(Probe.SLOW, "running");
    stepWithoutHandlers();
    CompletableFuture<Void> drained = server.drain().toCompletableFuture();
    world.network().drop(URI.create(world.address()), "cable pulled");
    stepWithoutHandlers();
    assertThat(drained).isNotDone();
    world.pass(Duration.ofMillis(500));
    assertThat(running).isCompletedWithValue("running");
    assertThat(drained).isCompleted();
  }

  @Test
  void whatDoesNotEndIsWaitedForNoLongerThanTheDrainTime() {
    open();
    CompletableFuture<String> running = stub.submit(Probe.SLOW, "running");
    stepWithoutHandlers();
    CompletableFuture<Void> drained = server.drain().toCompletableFuture();
    stepWithoutHandlers();
    world.clock().advance(DRAIN_TIME.minusMillis(1));
    stepWithoutHandlers();
    assertThat(drained).isNotDone();
    world.clock().advance(Duration.ofMillis(2));
    stepWithoutHandlers();
    assertThat(drained).isCompleted();
    server.close();
    stepWithoutHandlers();
    assertThat(failureOf(running).status()).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(failureOf(running).execution()).isEqualTo(Execution.UNKNOWN);
    world.runHandlers();
  }

  @Test
  void aNewSessionIsRefusedWithTheReason() {
    open();
    server.drain();
    world.settle();
    CompletableFuture<String> call =
        new Probe.Stub(world.client().session(world.address())).submit(Probe.ECHO, "");
    world.runUntil(call::isDone);
    assertThat(failureOf(call).status()).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(failureOf(call)).hasMessageContaining("shutting down");
  }

  @Test
  void anIdleServerIsDrainedWithinTheRoundTripThatTellsItsClients() {
    open();
    CompletableFuture<Void> drained = server.drain().toCompletableFuture();
    world.pass(Duration.ofMillis(50));
    assertThat(drained).isCompleted();
  }

  /** Its handler is waited for by the server's end: it must not wait for that end in turn. */
  @Test
  void aCallMadeByTheClientsHandlerForACallThatStillRunsFailsAtOnce() {
    List<Throwable> met = new ArrayList<>();
    CompletableFuture<String> back = new CompletableFuture<>();
    VerbenaServer calling =
        world.server(
            s ->
                s.listen("mem://calling")
                    .serve(
                        Probe.bind(
                            new Probe.Plain() {
                              @Override
                              public String echo(String text) {
                                new Probe.Stub(CallContext.current().session())
                                    .submit(Probe.SLOW, text)
                                    .thenAccept(back::complete);
                                return text;
                              }
                            })));
    Session other = world.client().session("mem://calling");
    other.serve(
        Probe.bind(
            new Probe.Plain() {
              @Override
              public String slow(String text) {
                new Probe.Stub(CallContext.current().session())
                    .submit(Probe.ECHO, "again")
                    .whenComplete((result, failure) -> met.add(failure));
                return text;
              }
            }));
    new Probe.Stub(other).submit(Probe.ECHO, "call me");
    stepWithoutHandlers();
    calling.drain();
    stepWithoutHandlers();
    world.settle();
    assertThat(back).isCompletedWithValue("call me");
    assertThat(met)
        .singleElement()
        .isInstanceOfSatisfying(
            RpcException.class,
            failure -> {
              assertThat(failure.status()).isEqualTo(RpcStatus.UNAVAILABLE);
              assertThat(failure.execution()).isEqualTo(Execution.NOT_EXECUTED);
            });
  }
}
