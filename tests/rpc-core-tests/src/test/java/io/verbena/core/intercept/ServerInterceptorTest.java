package io.verbena.core.intercept;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.CallContext;
import io.verbena.api.CallOptions;
import io.verbena.api.Execution;
import io.verbena.api.Metadata;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.ServerInterceptor;
import io.verbena.api.Session;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.core.Probe;
import io.verbena.testkit.SteppedWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Interceptors of a server's handlers. */
class ServerInterceptorTest {
  private static final Metadata.Key<String> TOKEN = Metadata.Key.text("token");
  private static final Metadata.Key<String> REASON = Metadata.Key.text("reason");
  private static final ScopedValue<String> USER = ScopedValue.newInstance();

  private final SteppedWorld world = new SteppedWorld();
  private final Session session = world.client().session(world.address());
  private final Probe.Stub stub = new Probe.Stub(session);
  private final List<String> seen = new ArrayList<>();

  /** Permission by token, for each method. */
  private record Authorization(Map<String, List<String>> allowed) implements ServerInterceptor {
    @Override
    public void intercept(CallContext call, Next next) throws Exception {
      String user = call.metadata().get(TOKEN);
      if (user == null) {
        throw new RpcException(RpcStatus.UNAUTHENTICATED, "who are you?");
      }
      if (!allowed.getOrDefault(call.method().name(), List.of()).contains(user)) {
        throw new RpcException(RpcStatus.PERMISSION_DENIED, "not for " + user)
            .withMetadata(Metadata.EMPTY.with(REASON, call.method().fullName()));
      }
      next.run();
    }
  }

  private final class Noting extends Probe.Plain {
    @Override
    public String echo(String text) {
      seen.add(text + " for " + (USER.isBound() ? USER.get() : "nobody"));
      return text;
    }

    @Override
    public String slow(String text) {
      if (text.isEmpty()) {
        throw new IllegalStateException("nothing to say");
      }
      return echo(text);
    }

    @Override
    public void tell(String text) {
      echo(text);
    }
  }

  private void serve(ServerInterceptor... interceptors) {
    world.server(
        server -> {
          server.serve(Probe.bind(new Noting()));
          List.of(interceptors).forEach(server::serverInterceptor);
        });
  }

  private Probe.Stub as(String user) {
    return new Probe.Stub(
        session, CallOptions.DEFAULT.withMetadata(Metadata.EMPTY.with(TOKEN, user)));
  }

  private RpcException failureOf(CompletableFuture<String> call) {
    world.runUntil(call::isDone);
    assertThat(call.exceptionNow()).isInstanceOf(RpcException.class);
    return (RpcException) call.exceptionNow();
  }

  private RpcException failureOf(MethodDescriptor<String> method) {
    return failureOf(stub.submit(method, "text"));
  }

  @AfterEach
  void close() {
    world.pass(Duration.ofMillis(100));
    assertThat(world.client().slotsInUse()).isZero();
    world.close();
  }

  @Test
  void authorizesEachMethodByItself() {
    serve(new Authorization(Map.of("echo", List.of("ann", "bob"), "slow", List.of("ann"))));
    for (MethodDescriptor<String> method : List.of(Probe.ECHO, Probe.SLOW)) {
      RpcException unknown = failureOf(method);
      assertThat(unknown.status()).isEqualTo(RpcStatus.UNAUTHENTICATED);
      assertThat(unknown.execution()).isEqualTo(Execution.NOT_EXECUTED);
    }
    RpcException denied = failureOf(as("bob").submit(Probe.SLOW, ""));
    assertThat(denied.status()).isEqualTo(RpcStatus.PERMISSION_DENIED);
    assertThat(denied.execution()).isEqualTo(Execution.NOT_EXECUTED);
    assertThat(denied.metadata().get(REASON)).isEqualTo("probe/slow");
    as("bob").tell("not allowed either");
    assertThat(seen).isEmpty();
    CompletableFuture<String> ann = as("ann").submit(Probe.SLOW, "ann's");
    CompletableFuture<String> bob = as("bob").submit(Probe.ECHO, "bob's");
    world.settle();
    assertThat(ann).isCompletedWithValue("ann's");
    assertThat(bob).isCompletedWithValue("bob's");
  }

  @Test
  void bindsAValueThatTheHandlerSees() {
    serve(
        (call, next) -> ScopedValue.where(USER, call.metadata().get(TOKEN)).call(() -> next.run()));
    as("ann").submit(Probe.SLOW, "beside the loop");
    as("bob").submit(Probe.ECHO, "on the loop");
    as("eve").tell("one-way");
    world.settle();
    assertThat(seen)
        .containsExactlyInAnyOrder(
            "beside the loop for ann", "on the loop for bob", "one-way for eve");
  }

  @Test
  void seesHowTheHandlerEndsAndTellsMoreOfIt() {
    serve(
        (call, next) -> {
          String end = "result";
          try {
            Exception declared = next.run();
            end = declared == null ? end : "declared " + declared.getMessage();
          } catch (IllegalStateException e) {
            end = "undeclared";
            throw e;
          } finally {
            seen.add(end);
            call.replyMetadata(call.replyMetadata().plus(REASON, end));
          }
        });
    stub.submit(Probe.ECHO, "text");
    stub.submit(Probe.FAIL, "no");
    world.settle();
    RpcException failure = failureOf(stub.submit(Probe.SLOW, ""));
    assertThat(seen).containsExactly("text for nobody", "result", "declared no", "undeclared");
    assertThat(failure.metadata().get(REASON)).isEqualTo("undeclared");
    assertThat(failure.execution()).isEqualTo(Execution.EXECUTED);
  }

  @Test
  void whatItThrowsBehindTheHandlerReplacesTheAnswer() {
    serve(
        (call, next) -> {
          next.run();
          throw new RpcException(RpcStatus.RESOURCE_EXHAUSTED, "over budget");
        });
    RpcException failure = failureOf(Probe.SLOW);
    assertThat(failure.status()).isEqualTo(RpcStatus.RESOURCE_EXHAUSTED);
    assertThat(failure.execution()).isEqualTo(Execution.EXECUTED);
  }

  @Test
  void aCallNeverPassesOneThatRefusedIt() {
    serve(
        (call, next) -> {
          try {
            next.run();
          } catch (RpcException e) {
            next.run(); // the one behind has refused
          }
        },
        (call, next) -> {
          throw new RpcException(RpcStatus.PERMISSION_DENIED, "no");
        });
    RpcException failure = failureOf(Probe.SLOW);
    assertThat(failure.status()).isEqualTo(RpcStatus.INTERNAL);
    assertThat(failure).hasMessageContaining("may be called once");
    assertThat(seen).isEmpty();
  }

  @Test
  void oneThatForgetsTheHandlerOrSwallowsItsEndIsNoAnswer() {
    serve(
        (call, next) -> {
          if (call.metadata().get(TOKEN) != null) {
            try {
              next.run();
            } catch (IllegalStateException e) {
              seen.add("swallowed");
            }
          }
        });
    RpcException forgotten = failureOf(Probe.SLOW);
    assertThat(forgotten.execution()).isEqualTo(Execution.NOT_EXECUTED);
    assertThat(forgotten)
        .hasMessageContaining("neither ran the next step, nor answered, nor refused");
    RpcException swallowed = failureOf(as("ann").submit(Probe.SLOW, ""));
    assertThat(swallowed.execution()).isEqualTo(Execution.EXECUTED);
    assertThat(swallowed).hasMessageContaining("hidden the outcome of the next step");
  }

  @Test
  void passesSeveralInTheirOrder() {
    List<String> order = new ArrayList<>();
    ServerInterceptor first =
        (call, next) -> {
          order.add("first " + call.method());
          next.run();
        };
    ServerInterceptor second =
        (call, next) -> {
          order.add("second " + call.session().peer().identity().isEmpty());
          next.run();
        };
    serve(first, second);
    stub.submit(Probe.ECHO, "text");
    world.settle();
    assertThat(order).hasSize(2).first().isEqualTo("first probe/echo");
    assertThat(order.getLast()).startsWith("second");
  }
}
