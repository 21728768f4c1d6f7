package io.verbena.core.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.CallOptions;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.TransferException;
import io.verbena.core.Probe;
import io.verbena.mem.InMemoryNetwork;
import io.verbena.testkit.SteppedWorld;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The failure at a caller whose handler lets the failure of its own call through. */
class DownstreamFailureTest {
  private static final String INNER_HOST = "db7.internal";

  private final SteppedWorld world = new SteppedWorld();
  private final List<Runnable> running = new ArrayList<>();

  @AfterEach
  void end() {
    world.close();
  }

  /** A failure that a handler has from a service that is not there. */
  private RpcException inner() {
    Probe.Stub other = new Probe.Stub(world.client().session("mem://" + INNER_HOST));
    CompletableFuture<String> call = other.submit(Probe.ECHO, "");
    world.runUntil(call::isDone);
    RpcException failure = (RpcException) call.exceptionNow();
    assertThat(failure.status()).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(failure).hasMessageContaining(INNER_HOST);
    return failure;
  }

  private CompletableFuture<String> called(Exception thrown) {
    world.server(
        s ->
            s.serve(
                    Probe.bind(
                        new Probe.Plain() {
                          @Override
                          public String slow(String text) throws Exception {
                            throw thrown;
                          }
                        }))
                .handlers(running::add));
    Probe.Stub stub =
        new Probe.Stub(
            world.client().session(world.address()), CallOptions.timeout(Duration.ofMillis(500)));
    CompletableFuture<String> call = stub.submit(Probe.SLOW, "");
    world.settle();
    assertThat(running).isNotEmpty();
    return call;
  }

  private RpcException answer(CompletableFuture<String> call) {
    running.forEach(Runnable::run);
    Thread.interrupted();
    world.settle();
    assertThat(call.exceptionNow()).isInstanceOf(RpcException.class);
    return (RpcException) call.exceptionNow();
  }

  static Stream<Arguments> letThrough() {
    return Stream.of(
        let("as it is", e -> e),
        let("joined", CompletionException::new),
        let("from a future", ExecutionException::new),
        let("wrapped twice", e -> new IllegalStateException(new RuntimeException(e))),
        let("with no words", e -> new IllegalStateException(null, e)),
        let(
            "of a transfer",
            e ->
                new TransferException(
                    RpcStatus.UNAVAILABLE, "object 7", 0, String.valueOf(e.getMessage()), e)));
  }

  private static Arguments let(String how, Function<RpcException, Exception> wrapped) {
    return Arguments.of(how, wrapped);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("letThrough")
  void anotherServicesFailureIsNotTheHandlersOwn(
      String how, Function<RpcException, Exception> wrapped) {
    Exception thrown = wrapped.apply(inner());
    RpcException failure = answer(called(thrown));
    assertThat(failure.status()).as(how).isEqualTo(RpcStatus.INTERNAL);
    assertThat(failure.execution()).isEqualTo(Execution.EXECUTED);
    assertThat(failure.mayRetry()).isFalse();
    assertThat(failure.remoteType()).isEqualTo(thrown.getClass().getName());
    assertThat(failure)
        .hasMessageContaining("UNAVAILABLE")
        .hasMessageContaining("handler")
        .message()
        .doesNotContain(INNER_HOST);
  }

  @Test
  void aHandlersOwnWordsAboutItAreItsOwn() {
    RpcException failure =
        answer(called(new IllegalStateException("the catalogue is closed", inner())));
    assertThat(failure.status()).isEqualTo(RpcStatus.INTERNAL);
    assertThat(failure).hasMessageContaining("the catalogue is closed");
  }

  @Test
  void whatAHandlerPassesOnKeepsItsStatusAndWords() {
    RpcException failure = answer(called(inner().passOn()));
    assertThat(failure.status()).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(failure).hasMessageContaining(INNER_HOST);
  }

  @Test
  void aStatusOfTheHandlersChoiceKeepsItsWords() {
    RpcException failure =
        answer(called(new RpcException(RpcStatus.UNAVAILABLE, "come back at nine", inner())));
    assertThat(failure.status()).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(failure).hasMessageContaining("come back at nine");
  }

  @Test
  void itsOwnDeadlineThatEndsAnInnerCallIsTheCallersDeadline() {
    CompletableFuture<String> call = called(innerDeadline());
    world.pass(Duration.ofMillis(499)); // another process's microseconds may end it a little early
    assertThat(call).isNotDone();
    assertThat(answer(call).status()).isEqualTo(RpcStatus.DEADLINE_EXCEEDED);
  }

  @Test
  void aShorterDeadlineOfAnInnerCallIsNotTheCallers() {
    CompletableFuture<String> call = called(innerDeadline());
    world.pass(Duration.ofMillis(100));
    RpcException failure = answer(call);
    assertThat(failure.status()).isEqualTo(RpcStatus.INTERNAL);
    assertThat(failure).hasMessageContaining("DEADLINE_EXCEEDED");
  }

  private RpcException innerDeadline() {
    URI silent = URI.create("mem://" + INNER_HOST);
    world.network().admit(silent, InMemoryNetwork.Admission.IGNORE);
    Probe.Stub other =
        new Probe.Stub(
            world.client().session("mem://" + INNER_HOST),
            CallOptions.timeout(Duration.ofNanos(1)));
    CompletableFuture<String> call = other.submit(Probe.ECHO, "");
    world.clock().advance(Duration.ofMillis(1));
    world.runUntil(call::isDone);
    RpcException failure = (RpcException) call.exceptionNow();
    assertThat(failure.status()).isEqualTo(RpcStatus.DEADLINE_EXCEEDED);
    return failure;
  }

  @Test
  void aFailureThatWasAnsweredReadsSo() {
    RpcException failure = answer(called(new IllegalStateException("the disk is full")));
    assertThat(failure)
        .hasMessage(
            "probe/slow was answered with INTERNAL:"
                + " java.lang.IllegalStateException: the disk is full");
  }
}
