package io.verbena.core.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.verbena.api.CallContext;
import io.verbena.api.CallOptions;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferException;
import io.verbena.api.stub.Dispatcher;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.api.stub.ServiceCaller;
import io.verbena.core.Probe;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaServer;
import io.verbena.core.session.SessionImpl;
import io.verbena.core.stat.OnewayStat;
import io.verbena.mem.InMemoryNetwork;
import io.verbena.testkit.SteppedWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Whatever users' code throws ends its own call or transfer, with a status, at once; more often
 * than the window has places, so that a place that is lost would be missed.
 */
class CallbacksTest {
  private static final int WINDOW = 64;
  private static final int TIMES = WINDOW + 8;

  private final SteppedWorld world =
      new SteppedWorld(
          SessionLimits.DEFAULT.withMaxCalls(WINDOW), InMemoryNetwork.DEFAULT_RING_FRAMES);
  private final List<Session> accepted = new ArrayList<>();
  private Session session = world.client().session(world.address());
  private Probe.Stub stub = new Probe.Stub(session);
  private Runnable outburst = () -> {};
  private final List<String> executed = new ArrayList<>();
  private Executor executor = world.handlers();

  private final VerbenaServer server =
      world.server(
          s ->
              s.serve(throwingAtEveryTurn())
                  .handlers(task -> executor.execute(task))
                  .onSession(
                      opened -> {
                        accepted.add(opened);
                        outburst.run();
                      }));

  /** The probe; what throws is told by the text that it is called with. */
  @SuppressWarnings("NullAway") // who answers with null does so on purpose
  private ServiceBinding throwingAtEveryTurn() {
    ServiceBinding plain =
        Probe.bind(
            new Probe.Plain() {
              @Override
              public void tell(String text) {
                executed.add(text);
              }
            });
    Dispatcher dispatcher =
        (method, in, call) -> {
          if (method.id() != 2 && method.id() != 1) {
            plain.dispatcher().dispatch(method, in, call);
            return;
          }
          String text = in.readString();
          if (text.equals("decoding")) {
            outburst.run();
          }
          call.handle(
              reply -> {
                executed.add(text);
                if (text.equals("handler")) {
                  outburst.run();
                } else if (text.equals("cancelled")) {
                  CallContext.current().onCancel(() -> outburst.run());
                } else if (text.equals("null")) {
                  reply.result().writeString(null);
                  return;
                } else if (text.equals("null received")) {
                  reply.received(null);
                  return;
                } else if (text.equals("null source")) {
                  reply.received(Received.from(null));
                  return;
                } else if (text.equals("result")) {
                  reply.result().writeString("half of it");
                  outburst.run();
                }
                reply.result().writeString(text);
              });
        };
    return new ServiceBinding(plain.service(), dispatcher);
  }

  @AfterEach
  void everythingIsAsBefore() {
    outburst = () -> {};
    executor = world.handlers();
    for (int i = 0; i < TIMES; i++) {
      CompletableFuture<String> call = stub.submit(Probe.ECHO, "as before");
      world.runUntil(call::isDone);
      assertThat(call).isCompletedWithValue("as before");
    }
    world.pass(Duration.ofSeconds(1));
    assertThat(world.client().slotsInUse()).as("slots of the client").isZero();
    assertThat(server.slotsInUse()).as("slots of the server").isZero();
    assertThat(server.bulkStats().memoryInUse()).as("pooled memory").isZero();
    assertThat(accepted).as("sessions, as none was lost").hasSize(1);
    world.close();
  }

  private void open() {
    CompletableFuture<String> call = stub.submit(Probe.ECHO, "open");
    world.runUntil(call::isDone);
  }

  private RpcException failure(CompletableFuture<?> call) {
    long before = world.clock().nanoTime();
    world.runUntil(call::isDone);
    assertThat(world.clock().nanoTime() - before)
        .as("not by a deadline")
        .isLessThan(Duration.ofSeconds(1).toNanos());
    return (RpcException) call.exceptionNow();
  }

  @ParameterizedTest
  @EnumSource
  void ofHandlers(Outburst what) {
    open();
    outburst = what::of;
    for (int i = 0; i < TIMES; i++) {
      for (MethodDescriptor<String> method : List.of(Probe.SLOW, Probe.ECHO)) {
        for (String when : List.of("handler", "result")) {
          RpcException failure = failure(stub.submit(method, when));
          assertThat(failure.status()).isEqualTo(RpcStatus.INTERNAL);
          assertThat(failure.execution()).isEqualTo(Execution.EXECUTED);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void ofSerializersThatReadArguments(Outburst what) {
    open();
    outburst = what::of;
    for (int i = 0; i < TIMES; i++) {
      RpcException failure = failure(stub.submit(Probe.SLOW, "decoding"));
      assertThat(failure.status()).isEqualTo(statusOf(what, RpcStatus.INVALID_ARGUMENT));
      assertThat(failure.execution()).isEqualTo(Execution.NOT_EXECUTED);
    }
  }

  /** If the heap is full, or a class is missing, what came is not to blame. */
  private static RpcStatus statusOf(Outburst what, RpcStatus otherwise) {
    return switch (what) {
      case OUT_OF_MEMORY -> RpcStatus.RESOURCE_EXHAUSTED;
      case LINKAGE -> RpcStatus.INTERNAL;
      default -> otherwise;
    };
  }

  @ParameterizedTest
  @EnumSource
  void ofSerializersThatWriteArguments(Outburst what) {
    open();
    ServiceCaller caller = session.caller(Probe.service("string"), CallOptions.DEFAULT);
    for (int i = 0; i < TIMES; i++) {
      RpcException failure =
          failure(caller.submit(Probe.SLOW, out -> what.of()).toCompletableFuture());
      assertThat(failure.status()).isEqualTo(RpcStatus.INVALID_ARGUMENT);
      assertThat(failure.execution()).isEqualTo(Execution.NOT_EXECUTED);
      Throwable oneway = catchThrowable(() -> caller.send(Probe.TELL, out -> what.of()));
      assertThat(oneway).isInstanceOf(RpcException.class);
    }
  }

  @ParameterizedTest
  @EnumSource
  void ofSerializersThatReadResultsAndErrors(Outburst what) {
    open();
    MethodDescriptor<String> result =
        new MethodDescriptor<>("probe", 2, "slow", false, false, false, 0, in -> what.of(), null);
    MethodDescriptor<String> error =
        new MethodDescriptor<>(
            "probe", 4, "fail", false, false, false, 0, in -> "", (index, in) -> what.of());
    for (int i = 0; i < TIMES; i++) {
      for (MethodDescriptor<String> method : List.of(result, error)) {
        RpcException failure = failure(stub.submit(method, "fine"));
        assertThat(failure.status()).isEqualTo(statusOf(what, RpcStatus.PROTOCOL_ERROR));
        assertThat(failure.execution()).isEqualTo(Execution.EXECUTED);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void ofWhatIsChainedToStages(Outburst what) {
    open();
    for (int i = 0; i < TIMES; i++) {
      CompletableFuture<String> call = stub.submit(Probe.ECHO, "fine");
      CompletableFuture<String> _ = call.thenApply(text -> what.of());
      CompletableFuture<String> other = stub.submit(Probe.SLOW, "fine");
      world.runUntil(() -> call.isDone() && other.isDone());
      assertThat(call).isCompletedWithValue("fine");
      assertThat(other).isCompletedWithValue("fine");
    }
    CompletableFuture<String> last = stub.submit(Probe.SLOW, "fine");
    CompletableFuture<Void> _ = last.handle((text, failure) -> what.of());
    CompletableFuture<String> behind = stub.submit(Probe.SLOW, "fine");
    session.close();
    world.runUntil(() -> last.isDone() && behind.isDone());
    accepted.clear();
    session = world.client().session(world.address());
    stub = new Probe.Stub(session);
  }

  @ParameterizedTest
  @EnumSource
  void ofActionsOnCancelAndListenersForSessions(Outburst what) {
    outburst = what::of;
    open();
    for (int i = 0; i < TIMES; i++) {
      CompletableFuture<String> call = stub.submit(Probe.SLOW, "cancelled");
      world.settle();
      call.cancel(true);
      world.settle();
    }
  }

  @ParameterizedTest
  @EnumSource
  void ofPushHandlersConsumersAndGenerators(Outburst what) {
    open();
    for (boolean nonBlocking : new boolean[] {true, false}) {
      for (int i = 0; i < TIMES; i++) {
        pushFails(nonBlocking, offer -> what.of());
        pushFails(nonBlocking, offer -> Landing.chunks((bytes, offset) -> what.of()));
        received(nonBlocking, what);
      }
    }
    for (int i = 0; i < TIMES; i++) {
      Transfer fetch =
          session
              .objects()
              .fetch(
                  server
                      .publish(
                          Source.generator(9, (into, offset) -> what.of()), Duration.ofSeconds(1))
                      .ref(),
                  Landing.pooled(9));
      assertThat(failure(fetch).status()).isEqualTo(RpcStatus.INTERNAL);
    }
  }

  /** An executor that throws, and may have taken what it was given before. */
  private void executorThat(Outburst what, boolean takes) {
    executor =
        task -> {
          if (takes) {
            world.handlers().execute(task);
          }
          what.of();
        };
  }

  @ParameterizedTest
  @EnumSource
  void ofExecutorsOfCalls(Outburst what) {
    open();
    for (boolean takes : new boolean[] {false, true}) {
      executorThat(what, takes);
      executed.clear();
      for (int i = 0; i < TIMES; i++) {
        RpcException failure = failure(stub.submit(Probe.SLOW, "not executed"));
        assertThat(failure.status()).isEqualTo(RpcStatus.RESOURCE_EXHAUSTED);
        assertThat(failure.execution()).isEqualTo(Execution.NOT_EXECUTED);
      }
      assertThat(executed).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void ofExecutorsOfOnewayCallsWhichWait(Outburst what) {
    open();
    for (boolean takes : new boolean[] {false, true}) {
      executorThat(what, takes);
      executed.clear();
      List<String> told = new ArrayList<>();
      for (int i = 0; i < WINDOW; i++) {
        stub.tell("note " + i);
        told.add("note " + i);
      }
      world.pass(Duration.ofSeconds(1));
      executor = world.handlers();
      world.pass(Duration.ofMillis(200));
      assertThat(executed).as("each once, and in order").isEqualTo(told);
    }
  }

  /** Waiting work is dropped with its session, and told so: then no thread may run it. */
  @ParameterizedTest
  @EnumSource
  void ofExecutorsWhoseOnewayCallsAreDropped(Outburst what) {
    open();
    List<Runnable> kept = new ArrayList<>();
    executor =
        task -> {
          kept.add(task);
          what.of();
        };
    executed.clear();
    stub.tell("dropped");
    world.settle();
    SessionImpl server = (SessionImpl) accepted.getFirst();
    server.close();
    world.settle();
    assertThat(server.stat().oneways()).isEqualTo(new OnewayStat(0, 0, 0, 1, 0));
    kept.forEach(Runnable::run);
    world.settle();
    assertThat(executed).isEmpty();
    assertThat(server.stat().oneways()).isEqualTo(new OnewayStat(0, 0, 0, 1, 0));
    accepted.clear();
    session.close();
    world.settle();
    session = world.client().session(world.address());
    stub = new Probe.Stub(session);
  }

  @ParameterizedTest
  @EnumSource
  void ofExecutorsOfPushHandlers(Outburst what) {
    open();
    int[] received = new int[1];
    for (boolean takes : new boolean[] {false, true}) {
      for (int i = 0; i < TIMES; i++) {
        executorThat(what, takes);
        Transfer refused = push(false, offer -> Landing.pooled(9), () -> received[0]++);
        assertThat(failure(refused).status()).isEqualTo(RpcStatus.RESOURCE_EXHAUSTED);
        executor = world.handlers();
        Transfer taken =
            push(
                false,
                offer -> {
                  executorThat(what, takes); // from here on
                  return Landing.pooled(9);
                },
                () -> received[0]++);
        CompletableFuture<Received> outcome = taken.result().toCompletableFuture();
        int times = received[0] + 1;
        world.runUntil(() -> outcome.isDone() && received[0] >= times);
        world.settle();
        assertThat(outcome.join().length()).isEqualTo(9);
        assertThat(received[0]).as("handed over").isEqualTo(times);
      }
    }
  }

  @Test
  @SuppressWarnings("NullAway") // the point
  void ofHandlersThatReturnNull() {
    open();
    for (int i = 0; i < TIMES; i++) {
      for (MethodDescriptor<String> method : List.of(Probe.SLOW, Probe.ECHO)) {
        RpcException failure = failure(stub.submit(method, "null"));
        assertThat(failure.status()).isEqualTo(RpcStatus.INTERNAL);
        assertThat(failure.execution()).isEqualTo(Execution.EXECUTED);
      }
      MethodDescriptor<Received> landing =
          new MethodDescriptor<>("probe", 2, "slow", false, false, false, 0, in -> null, null);
      ServiceCaller caller = session.caller(Probe.service("string"), CallOptions.DEFAULT);
      for (String text : List.of("null received", "null source")) {
        CompletableFuture<Received> call =
            caller
                .submit(landing, Landing.pooled(9), out -> out.writeString(text))
                .toCompletableFuture();
        RpcException failure = failure(call);
        assertThat(failure.status()).isEqualTo(RpcStatus.INTERNAL);
        assertThat(failure.execution()).isEqualTo(Execution.EXECUTED);
      }
    }
  }

  @Test
  @SuppressWarnings("NullAway") // the point
  void ofReadersOfErrorsThatReturnNull() {
    open();
    MethodDescriptor<String> error =
        new MethodDescriptor<>(
            "probe", 4, "fail", false, false, false, 0, in -> "", (index, in) -> null);
    for (int i = 0; i < TIMES; i++) {
      RpcException failure = failure(stub.submit(error, "fine"));
      assertThat(failure.execution()).isEqualTo(Execution.EXECUTED);
    }
  }

  @Test
  @SuppressWarnings("NullAway") // the point
  void ofPushHandlersThatGiveNothing() {
    open();
    for (int i = 0; i < TIMES; i++) {
      for (boolean nonBlocking : new boolean[] {true, false}) {
        pushFails(nonBlocking, offer -> Landing.chunks(null));
        pushFails(nonBlocking, offer -> Landing.file(null));
        TransferException refusal = failure(push(nonBlocking, offer -> null, () -> {}));
        assertThat(refusal).hasMessageContaining("refused");
      }
    }
  }

  private interface Taker {
    Landing take(PushHandler.Offer offer);
  }

  private void pushFails(boolean nonBlocking, Taker taker) {
    assertThat(failure(push(nonBlocking, taker, () -> {})).status()).isEqualTo(RpcStatus.INTERNAL);
  }

  private void received(boolean nonBlocking, Outburst what) {
    assertThat(
            world.result(push(nonBlocking, offer -> Landing.pooled(9), what::of).result()).length())
        .isEqualTo(9);
  }

  private Transfer push(boolean nonBlocking, Taker taker, Runnable whenReceived) {
    accepted
        .getFirst()
        .objects()
        .onPush(
            new PushHandler() {
              @Override
              public Landing offered(Offer offer) {
                return taker.take(offer);
              }

              @Override
              public void received(Offer offer, Received object) {
                object.close(); // first: this may be another thread
                whenReceived.run();
              }

              @Override
              public boolean nonBlocking() {
                return nonBlocking;
              }
            });
    world.settle();
    return session.objects().push("x", Source.of(new byte[9]));
  }

  private TransferException failure(Transfer transfer) {
    CompletableFuture<Received> result = transfer.result().toCompletableFuture();
    world.runUntil(result::isDone);
    return (TransferException) result.exceptionNow();
  }
}
