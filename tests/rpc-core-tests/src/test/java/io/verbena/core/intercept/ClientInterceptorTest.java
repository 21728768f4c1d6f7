package io.verbena.core.intercept;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.Answer;
import io.verbena.api.CallContext;
import io.verbena.api.CallOptions;
import io.verbena.api.ClientCall;
import io.verbena.api.ClientInterceptor;
import io.verbena.api.Execution;
import io.verbena.api.Metadata;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.core.Probe;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.SteppedWorld;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Interceptors of a client's calls, or of one stub's. */
class ClientInterceptorTest {
  private static final Metadata.Key<String> PASSED = Metadata.Key.text("passed");
  private static final Duration SOON = Duration.ofMillis(50);

  private final SteppedWorld world = new SteppedWorld();
  private final List<String> handled = new ArrayList<>();
  private final List<String> cancelled = new ArrayList<>();
  private @Nullable RuntimeException thrown;

  @SuppressWarnings("NullAway.Init") // by each test
  private Session session;

  /** Adds its name to what the call takes along. */
  private record Named(String name) implements ClientInterceptor {
    @Override
    public <R> CompletionStage<Answer<R>> intercept(ClientCall<R> call) {
      return call.proceed(call.metadata().plus(PASSED, name));
    }
  }

  /** Keeps calls until they are let go. */
  private static final class Holding implements ClientInterceptor {
    private final ArrayDeque<Runnable> held = new ArrayDeque<>();

    @Override
    public <R> CompletionStage<Answer<R>> intercept(ClientCall<R> call) {
      CompletableFuture<Answer<R>> later = new CompletableFuture<>();
      held.add(
          () ->
              call.proceed()
                  .whenComplete(
                      (answer, failure) -> {
                        if (failure == null) {
                          later.complete(answer);
                        } else {
                          later.completeExceptionally(failure);
                        }
                      }));
      return later;
    }
  }

  /** Makes a call again where that may help. */
  private static final class Retrying implements ClientInterceptor {
    @Override
    public <R> CompletionStage<Answer<R>> intercept(ClientCall<R> call) {
      return call.proceed()
          .exceptionallyCompose(
              failure ->
                  failure instanceof RpcException rpc && rpc.status() == RpcStatus.UNAVAILABLE
                      ? call.proceed()
                      : CompletableFuture.failedStage(failure));
    }
  }

  private static final class Refusing implements ClientInterceptor {
    @Override
    public <R> CompletionStage<Answer<R>> intercept(ClientCall<R> call) {
      throw new RpcException(RpcStatus.PERMISSION_DENIED, "not " + call.method());
    }
  }

  /** Answers what it has an answer to. */
  private static final class Cached implements ClientInterceptor {
    @Override
    public <R> CompletionStage<Answer<R>> intercept(ClientCall<R> call) {
      @SuppressWarnings("unchecked") // every method of the contract returns a text
      R known = (R) "known";
      return CompletableFuture.completedStage(Answer.of(known));
    }
  }

  private final class Noting extends Probe.Plain {
    @Override
    public String echo(String text) {
      CallContext call = CallContext.current();
      handled.add(text + call.metadata().all(PASSED));
      RuntimeException failure = thrown;
      if (failure != null) {
        thrown = null;
        throw failure;
      }
      return text;
    }

    @Override
    public void tell(String text) {
      echo(text);
    }

    @Override
    public String slow(String text) {
      CallContext.current().onCancel(() -> cancelled.add(text));
      world.pass(Duration.ofMillis(10)); // its caller may cancel meanwhile
      return echo(text);
    }
  }

  private Probe.Stub stub(CallOptions options, ClientInterceptor... ofClient) {
    world.server(s -> s.serve(Probe.bind(new Noting())));
    VerbenaClient client =
        world.client(settings -> List.of(ofClient).forEach(one -> settings.clientInterceptor(one)));
    session = client.session(world.address());
    return new Probe.Stub(session, options);
  }

  private Probe.Stub stub(ClientInterceptor interceptor) {
    return stub(CallOptions.DEFAULT.withInterceptors(interceptor));
  }

  private RpcException failureOf(CompletableFuture<String> call) {
    world.runUntil(call::isDone);
    assertThat(call.exceptionNow()).isInstanceOf(RpcException.class);
    return (RpcException) call.exceptionNow();
  }

  @AfterEach
  void close() {
    world.pass(Duration.ofMillis(100));
    assertThat(world.client().slotsInUse()).isZero();
    world.close();
  }

  @Test
  void thoseOfTheClientComeFirstThenThoseOfTheStub() {
    CallOptions options =
        CallOptions.DEFAULT
            .withMetadata(Metadata.EMPTY.with(PASSED, "own"))
            .withInterceptors(new Named("c"), new Named("d"));
    Probe.Stub stub = stub(options, new Named("a"), new Named("b"));
    CompletableFuture<String> call = stub.submit(Probe.ECHO, "call");
    stub.tell("one-way");
    world.settle();
    assertThat(call).isCompletedWithValue("call");
    assertThat(handled).containsExactly("call[own, a, b, c, d]", "one-way[own, a, b, c, d]");
  }

  @Test
  void oneThatAnswersMakesNoCall() {
    CompletableFuture<String> call = stub(new Cached()).submit(Probe.ECHO, "unknown");
    assertThat(call).isCompletedWithValue("known");
    world.settle();
    assertThat(handled).isEmpty();
  }

  @Test
  void oneThatRefusesFailsTheCallAndAOneWayCallAtItsSender() {
    Probe.Stub stub = stub(new Refusing());
    RpcException failure = failureOf(stub.submit(Probe.ECHO, ""));
    assertThat(failure.status()).isEqualTo(RpcStatus.PERMISSION_DENIED);
    assertThat(failure).hasMessage("not probe/echo");
    assertThatThrownBy(() -> stub.tell("")).hasMessage("not probe/tell");
    assertThat(handled).isEmpty();
  }

  @Test
  void oneThatDelaysHoldsTheCallUntilItProceeds() {
    Holding holding = new Holding();
    Probe.Stub stub = stub(holding);
    CompletableFuture<String> call = stub.submit(Probe.ECHO, "late");
    stub.tell("later");
    world.pass(SOON);
    assertThat(handled).isEmpty();
    holding.held.forEach(Runnable::run);
    world.settle();
    assertThat(call).isCompletedWithValue("late");
    assertThat(handled).containsExactly("late[]", "later[]");
  }

  @Test
  void theDeadlineHoldsWhileOneDelays() {
    Holding holding = new Holding();
    Probe.Stub stub = stub(CallOptions.timeout(SOON), holding);
    CompletableFuture<String> call = stub.submit(Probe.ECHO, "");
    world.pass(SOON.minusMillis(2));
    assertThat(call).isNotDone();
    world.pass(Duration.ofMillis(4));
    RpcException failure = failureOf(call);
    assertThat(failure.status()).isEqualTo(RpcStatus.DEADLINE_EXCEEDED);
    assertThat(failure.execution()).isEqualTo(Execution.NOT_EXECUTED);
    holding.held.forEach(Runnable::run);
    world.settle();
    assertThat(handled).as("handled after its end").isEmpty();
  }

  @Test
  void anAttemptHasNoMoreThanTheTimeThatIsLeft() {
    List<Duration> left = new ArrayList<>();
    ClientInterceptor hasty =
        new ClientInterceptor() {
          @Override
          public <R> CompletionStage<Answer<R>> intercept(ClientCall<R> call) {
            left.add(call.remaining());
            return call.proceed(call.metadata(), Duration.ofMillis(20));
          }
        };
    ClientInterceptor watching =
        new ClientInterceptor() {
          @Override
          public <R> CompletionStage<Answer<R>> intercept(ClientCall<R> call) {
            left.add(call.remaining());
            return call.proceed(call.metadata(), Duration.ofDays(1));
          }
        };
    Probe.Stub stub = stub(CallOptions.timeout(SOON).withInterceptors(hasty, watching));
    world.pauseServer(true);
    CompletableFuture<String> call = stub.submit(Probe.ECHO, "");
    world.pass(Duration.ofMillis(22));
    assertThat(failureOf(call).status()).isEqualTo(RpcStatus.DEADLINE_EXCEEDED);
    assertThat(left).containsExactly(SOON, Duration.ofMillis(20));
    world.pauseServer(false);
  }

  @Test
  void aCallThatIsMadeAgainIsExecutedAgain() {
    Probe.Stub stub = stub(CallOptions.DEFAULT.withInterceptors(new Retrying(), new Named("x")));
    thrown = new RpcException(RpcStatus.UNAVAILABLE, "busy");
    CompletableFuture<String> call = stub.submit(Probe.ECHO, "again");
    world.settle();
    assertThat(call).isCompletedWithValue("again");
    assertThat(handled).containsExactly("again[x]", "again[x]");
  }

  @Test
  void cancellingTheCallCancelsItsAttempt() {
    Probe.Stub stub = stub(new Named("x"));
    CompletableFuture<String> call = stub.submit(Probe.SLOW, "unwanted");
    world.step();
    call.cancel(true);
    world.settle();
    assertThat(call.isCancelled()).isTrue();
    assertThat(handled.isEmpty() || cancelled.contains("unwanted")).isTrue();
    assertThatThrownBy(call::join).isInstanceOf(CancellationException.class);
  }

  @Test
  void aBlockingStubPassesThemAndSeesWhatTheyThrow() throws Exception {
    try (VerbenaServer server =
            VerbenaServer.builder()
                .listen("mem://intercepted")
                .serve(Probe.bind(new Probe.Plain()))
                .start();
        VerbenaClient client =
            VerbenaClient.builder().clientInterceptor(new Named("client")).build();
        Session open = client.connect(server.address().toString())) {
      Probe.Stub plain = new Probe.Stub(open);
      assertThat(plain.call(Probe.SLOW, "blocking")).isEqualTo("blocking");
      assertThatThrownBy(() -> plain.call(Probe.FAIL, "no")).isInstanceOf(Probe.Rejected.class);
      Probe.Stub refused =
          new Probe.Stub(open, CallOptions.DEFAULT.withInterceptors(new Refusing()));
      assertThatThrownBy(() -> refused.call(Probe.ECHO, "")).hasMessage("not probe/echo");
      Probe.Stub held =
          new Probe.Stub(open, CallOptions.timeout(SOON).withInterceptors(new Holding()));
      assertThatThrownBy(() -> held.call(Probe.ECHO, ""))
          .hasMessageContaining("DEADLINE_EXCEEDED")
          .hasMessageContaining("an interceptor held it");
      Probe.Stub broken =
          new Probe.Stub(
              open,
              CallOptions.DEFAULT.withInterceptors(
                  new ClientInterceptor() {
                    @Override
                    public <R> CompletionStage<Answer<R>> intercept(ClientCall<R> call) {
                      throw new NoClassDefFoundError("a library of the interceptor's");
                    }
                  }));
      assertThatThrownBy(() -> broken.call(Probe.ECHO, ""))
          .isInstanceOf(NoClassDefFoundError.class)
          .hasMessage("a library of the interceptor's");
      assertThat(client.slotsInUse()).isZero();
    }
  }
}
