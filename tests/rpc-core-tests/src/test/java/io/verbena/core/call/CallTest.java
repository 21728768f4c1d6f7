package io.verbena.core.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.CallContext;
import io.verbena.api.CallOptions;
import io.verbena.api.CallPhase;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.core.Probe;
import io.verbena.core.VerbenaServer;
import io.verbena.core.session.SessionImpl;
import io.verbena.testkit.SteppedWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls over a session, stepped in one thread on a clock of the test's. */
class CallTest {
  private final SteppedWorld world = new SteppedWorld();
  private final Session session = world.client().session(world.address());
  private final Probe.Stub stub = new Probe.Stub(session);

  private VerbenaServer serve(Probe probe) {
    return world.server(server -> server.serve(Probe.bind(probe)));
  }

  @AfterEach
  void leavesNoSlotInUse() {
    world.pass(Duration.ofMillis(100));
    assertThat(world.client().slotsInUse()).isZero();
    world.close();
  }

  private RpcException failureOf(CompletableFuture<String> call) {
    world.runUntil(call::isDone);
    assertThat(call.exceptionNow()).isInstanceOf(RpcException.class);
    return (RpcException) call.exceptionNow();
  }

  @Test
  void answersACallOnTheLoopAndOneOnTheExecutor() {
    serve(new Probe.Plain());
    CompletableFuture<String> quick = stub.submit(Probe.ECHO, "quick");
    CompletableFuture<String> slow = stub.submit(Probe.SLOW, "slow");
    world.settle();
    assertThat(quick).isCompletedWithValue("quick");
    assertThat(slow).isCompletedWithValue("slow");
    assertThat(session.path().link()).isEqualTo("mem");
  }

  @Test
  void carriesMessagesFarLongerThanASlotOrAFrame() {
    serve(new Probe.Plain());
    for (int length : new int[] {0, 4_000, 4_096, 65_536, 1 << 20, 8_000_000}) {
      String text = "x".repeat(length);
      assertThat(world.result(stub.submit(Probe.ECHO, text))).isEqualTo(text);
    }
  }

  @Test
  void dispatchesCallsInTheOrderTheyWereSentWhateverTheirLength() {
    List<Integer> lengths = new ArrayList<>();
    serve(
        new Probe.Plain() {
          @Override
          public String echo(String text) {
            lengths.add(text.length());
            return "";
          }
        });
    List<Integer> sent = List.of(1, 300_000, 2, 70_000, 3);
    sent.forEach(length -> stub.submit(Probe.ECHO, "x".repeat(length)));
    world.settle();
    assertThat(lengths).isEqualTo(sent);
  }

  @Test
  void aDeclaredExceptionArrivesAsItsType() {
    serve(new Probe.Plain());
    CompletableFuture<String> call = stub.submit(Probe.FAIL, "no luck");
    world.settle();
    assertThat(call.exceptionNow()).isInstanceOf(Probe.Rejected.class).hasMessage("no luck");
  }

  @Test
  void anUndeclaredExceptionArrivesAsInternalWithItsTypeAndMessage() {
    serve(
        new Probe.Plain() {
          @Override
          public String slow(String text) {
            throw new IllegalStateException("the disk is full");
          }
        });
    RpcException failure = failureOf(stub.submit(Probe.SLOW, ""));
    assertThat(failure.status()).isEqualTo(RpcStatus.INTERNAL);
    assertThat(failure.execution()).isEqualTo(Execution.EXECUTED);
    assertThat(failure.remoteType()).isEqualTo("java.lang.IllegalStateException");
    assertThat(failure).hasMessageContaining("the disk is full").hasMessageContaining("probe/slow");
  }

  @Test
  void aHandlersOwnStatusCrosses() {
    serve(
        new Probe.Plain() {
          @Override
          public String slow(String text) {
            throw new RpcException(RpcStatus.PERMISSION_DENIED, "not yours");
          }
        });
    RpcException failure = failureOf(stub.submit(Probe.SLOW, ""));
    assertThat(failure.status()).isEqualTo(RpcStatus.PERMISSION_DENIED);
    assertThat(failure).hasMessageContaining("not yours");
  }

  @Test
  void aMethodThatThePeerLacksIsUnimplementedAndSurelyNotExecuted() {
    serve(new Probe.Plain());
    RpcException failure = failureOf(stub.submit(Probe.MISSING, ""));
    assertThat(failure.status()).isEqualTo(RpcStatus.UNIMPLEMENTED);
    assertThat(failure.execution()).isEqualTo(Execution.NOT_EXECUTED);
    assertThat(failure.mayRetry()).as("it will not be there next time").isFalse();
  }

  @Test
  void aServiceThatThePeerDoesNotServeIsNamedTogetherWithThoseItDoes() {
    world.server(server -> {});
    RpcException failure = failureOf(stub.submit(Probe.ECHO, ""));
    assertThat(failure.status()).isEqualTo(RpcStatus.UNIMPLEMENTED);
    assertThat(failure).hasMessageContaining("serves no service");
  }

  @Test
  void aPassedDeadlineFailsTheCallAndCancelsItsHandler() {
    AtomicBoolean cancelled = new AtomicBoolean();
    List<Runnable> running = new ArrayList<>();
    try (VerbenaServer server =
        world.server(
            s ->
                s.serve(
                        Probe.bind(
                            new Probe.Plain() {
                              @Override
                              public String slow(String text) {
                                CallContext.current().onCancel(() -> cancelled.set(true));
                                assertThat(CallContext.current().remaining())
                                    .isBetween(Duration.ofMillis(1), Duration.ofMillis(50));
                                return text;
                              }
                            }))
                    .handlers(running::add))) {
      Probe.Stub hasty = new Probe.Stub(session, CallOptions.timeout(Duration.ofMillis(50)));
      CompletableFuture<String> call = hasty.submit(Probe.SLOW, "late");
      world.pass(Duration.ofMillis(60));
      RpcException failure = failureOf(call);
      assertThat(failure.status()).isEqualTo(RpcStatus.DEADLINE_EXCEEDED);
      assertThat(failure.phase()).isEqualTo(CallPhase.RECEIVED);
      assertThat(failure.execution()).isEqualTo(Execution.UNKNOWN);
      assertThat(failure).hasMessageContaining("50 ms");
      assertThat(server.address()).hasScheme("mem");
      running.forEach(Runnable::run);
      world.settle();
    }
  }

  @Test
  void aHandlerStoppedByTheDeadlineAnswersSoEvenBeforeItsCallersTimer() {
    List<Runnable> running = new ArrayList<>();
    // The time left crosses in whole microseconds, so the handler's end comes up to one earlier.
    Duration timeout = Duration.ofNanos(50L << 20);
    world.server(
        s ->
            s.serve(
                    Probe.bind(
                        new Probe.Plain() {
                          @Override
                          public String slow(String text) {
                            world.clock().advance(timeout.minusNanos(1));
                            world.step();
                            assertThat(CallContext.current().isCancelled()).isTrue();
                            throw new RpcException(RpcStatus.CANCELLED, "stopped inside");
                          }
                        }))
                .handlers(running::add));
    Probe.Stub hasty = new Probe.Stub(session, CallOptions.timeout(timeout));
    CompletableFuture<String> call = hasty.submit(Probe.SLOW, "late");
    world.settle();
    running.forEach(Runnable::run);
    assertThat(call).isNotDone();
    world.settle();
    RpcException failure = (RpcException) call.exceptionNow();
    assertThat(failure.status()).isEqualTo(RpcStatus.DEADLINE_EXCEEDED);
    assertThat(failure.execution()).isEqualTo(Execution.EXECUTED);
    assertThat(failure).hasMessageContaining("stopped inside");
  }

  @Test
  void aCallThatNoThreadTakesBeforeItsDeadlineIsAnsweredAndNeverRun() {
    List<Runnable> dropped = new ArrayList<>();
    Probe.Counting probe = new Probe.Counting();
    VerbenaServer server = world.server(s -> s.serve(Probe.bind(probe)).handlers(dropped::add));
    Probe.Stub hasty = new Probe.Stub(session, CallOptions.timeout(Duration.ofMillis(50)));
    for (int i = 0; i < 3_000; i++) { // more than the window has places
      CompletableFuture<String> call = hasty.submit(Probe.SLOW, "dropped");
      world.pass(Duration.ofMillis(55));
      assertThat(failureOf(call).status()).isEqualTo(RpcStatus.DEADLINE_EXCEEDED);
    }
    dropped.forEach(Runnable::run);
    assertThat(probe.executions).isEmpty();
    CompletableFuture<String> next = stub.submit(Probe.ECHO, "next");
    world.runUntil(next::isDone);
    assertThat(next).isCompletedWithValue("next");
    world.pass(Duration.ofSeconds(1));
    assertThat(server.slotsInUse()).isZero();
  }

  @Test
  void cancellingBeforeTheSessionOpensSendsNothing() {
    CompletableFuture<String> call = stub.submit(Probe.ECHO, "never");
    assertThat(call.cancel(true)).isTrue();
    List<String> heard = new ArrayList<>();
    serve(
        new Probe.Plain() {
          @Override
          public String echo(String text) {
            heard.add(text);
            return text;
          }
        });
    CompletableFuture<String> next = stub.submit(Probe.ECHO, "next");
    world.runUntil(next::isDone);
    assertThat(heard).containsExactly("next");
  }

  @Test
  void cancellingReachesTheHandler() {
    List<Runnable> running = new ArrayList<>();
    AtomicBoolean sawCancel = new AtomicBoolean();
    world.server(
        s ->
            s.serve(
                    Probe.bind(
                        new Probe.Plain() {
                          @Override
                          public String slow(String text) {
                            sawCancel.set(CallContext.current().isCancelled());
                            return text;
                          }
                        }))
                .handlers(running::add));
    CompletableFuture<String> call = stub.submit(Probe.SLOW, "");
    world.settle();
    assertThat(call.cancel(true)).isTrue();
    world.settle();
    running.forEach(Runnable::run);
    Thread.interrupted();
    assertThat(sawCancel).isTrue();
    world.settle();
  }

  @Test
  void moreCallsThanTheWindowAreRefusedAndTheRestAnswered() {
    List<Runnable> running = new ArrayList<>();
    world.server(s -> s.serve(Probe.bind(new Probe.Plain())).handlers(running::add));
    CompletableFuture<String> first = stub.submit(Probe.ECHO, "opens the session");
    world.runUntil(first::isDone);
    List<CompletableFuture<String>> calls = new ArrayList<>();
    for (int i = 0; i < 1_030; i++) {
      calls.add(stub.submit(Probe.SLOW, "call"));
    }
    world.settle();
    running.forEach(Runnable::run);
    world.settle();
    assertThat(calls.subList(0, 1_024)).allMatch(call -> call.join().equals("call"));
    for (CompletableFuture<String> call : calls.subList(1_024, 1_030)) {
      RpcException failure = failureOf(call);
      assertThat(failure.status()).isEqualTo(RpcStatus.RESOURCE_EXHAUSTED);
      assertThat(failure.execution()).isEqualTo(Execution.NOT_EXECUTED);
      assertThat(failure).hasMessageContaining("1024").hasMessageContaining("maxCalls");
    }
  }

  @Test
  void aCallThatOutlastsThousandsOfOthersIsAnswered() {
    List<Runnable> running = new ArrayList<>();
    world.server(s -> s.serve(Probe.bind(new Probe.Plain())).handlers(running::add));
    CompletableFuture<String> first = stub.submit(Probe.ECHO, "opens the session");
    world.runUntil(first::isDone);
    CompletableFuture<String> slow = stub.submit(Probe.SLOW, "at last");
    for (int i = 0; i < 20; i++) {
      List<CompletableFuture<String>> others =
          IntStream.range(0, 100).mapToObj(each -> stub.submit(Probe.ECHO, "soon")).toList();
      world.settle();
      assertThat(others).allMatch(other -> other.join().equals("soon"));
    }
    running.forEach(Runnable::run);
    world.settle();
    assertThat(slow).isCompletedWithValue("at last");
    assertThat(((SessionImpl) session).stat().callsOut()).isZero();
  }

  @Test
  void oneWayCallsArriveInOrderAndGiveTheirPlacesBack() {
    List<String> heard = new ArrayList<>();
    serve(
        new Probe.Plain() {
          @Override
          public void tell(String text) {
            heard.add(text);
          }
        });
    for (int i = 0; i < 5_000; i++) {
      stub.tell("n" + i);
      if (i % 50 == 0) {
        world.pass(Duration.ofMillis(25));
      }
    }
    world.pass(Duration.ofMillis(100));
    assertThat(heard).hasSize(5_000);
    assertThat(heard.get(4_999)).isEqualTo("n4999");
  }

  @Test
  void aHandlerCallsBackOverTheSameSession() {
    List<String> heard = new ArrayList<>();
    session.serve(
        Probe.bind(
            new Probe.Plain() {
              @Override
              public String echo(String text) {
                heard.add(text);
                return "thanks for " + text;
              }
            }));
    List<CompletableFuture<String>> callbacks = new ArrayList<>();
    serve(
        new Probe.Plain() {
          @Override
          public String slow(String text) {
            Probe.Stub back = new Probe.Stub(CallContext.current().session());
            callbacks.add(back.submit(Probe.ECHO, "news"));
            return "called back";
          }
        });
    CompletableFuture<String> call = stub.submit(Probe.SLOW, "");
    world.runUntil(call::isDone);
    world.settle();
    assertThat(heard).containsExactly("news");
    assertThat(callbacks.getFirst()).isCompletedWithValue("thanks for news");
  }

  @Test
  void aCallInsideAHandlerInheritsItsDeadline() {
    List<Duration> left = new ArrayList<>();
    session.serve(
        Probe.bind(
            new Probe.Plain() {
              @Override
              public String echo(String text) {
                left.add(CallContext.current().remaining());
                return text;
              }
            }));
    serve(
        new Probe.Plain() {
          @Override
          public String slow(String text) {
            new Probe.Stub(CallContext.current().session()).submit(Probe.ECHO, "inner");
            return text;
          }
        });
    Probe.Stub hasty = new Probe.Stub(session, CallOptions.timeout(Duration.ofMillis(200)));
    CompletableFuture<String> call = hasty.submit(Probe.SLOW, "outer");
    world.runUntil(call::isDone);
    world.settle();
    assertThat(left).hasSize(1);
    assertThat(left.getFirst()).isLessThanOrEqualTo(Duration.ofMillis(200));
  }

  @Test
  void contractsThatDoNotFitAreRefusedByNameOfTheirDifference() {
    serve(new Probe.Plain());
    Probe.Stub other = new Probe.Stub(world.client().session(world.address()), "int");
    RpcException failure = failureOf(other.submit(Probe.ECHO, ""));
    assertThat(failure.status()).isEqualTo(RpcStatus.INCOMPATIBLE);
    assertThat(failure.execution()).isEqualTo(Execution.NOT_EXECUTED);
    assertThat(failure)
        .hasMessageContaining("method echo (id 1) returns 'int' here and 'string' there");
  }

  @Test
  void aBlockingCallOnTheLoopIsRefusedInsteadOfHangingIt() {
    List<Throwable> thrown = new ArrayList<>();
    serve(
        new Probe.Plain() {
          @Override
          public String echo(String text) {
            Probe.Stub back = new Probe.Stub(CallContext.current().session());
            assertThatThrownBy(() -> back.call(Probe.ECHO, "hang"))
                .satisfies(thrown::add)
                .hasMessageContaining("event loop");
            return text;
          }
        });
    CompletableFuture<String> call = stub.submit(Probe.ECHO, "");
    world.settle();
    assertThat(call).isCompleted();
    assertThat(thrown).hasSize(1);
  }

  @Test
  void closingTheSessionCancelsItsCallsHereAndSaysSo() {
    List<Runnable> running = new ArrayList<>();
    world.server(s -> s.serve(Probe.bind(new Probe.Plain())).handlers(running::add));
    CompletableFuture<String> call = stub.submit(Probe.SLOW, "");
    world.settle();
    session.close();
    RpcException failure = failureOf(call);
    assertThat(failure.status()).isEqualTo(RpcStatus.CANCELLED);
    RpcException later = failureOf(stub.submit(Probe.ECHO, ""));
    assertThat(later.status()).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(later.execution()).isEqualTo(Execution.NOT_EXECUTED);
  }
}
