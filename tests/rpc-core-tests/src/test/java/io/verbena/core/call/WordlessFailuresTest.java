package io.verbena.core.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Metadata;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.core.Probe;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.link.runtime.Thrown;
import io.verbena.testkit.SteppedWorld;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.UndeclaredThrowableException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** User code throws an exception without a message: nobody reads "null" in its place. */
class WordlessFailuresTest {
  private final SteppedWorld world = new SteppedWorld();

  @AfterEach
  void end() {
    world.close();
  }

  @SuppressWarnings("NullAway") // as a caller from another language may
  private static RpcException answer() {
    return new RpcException(RpcStatus.PERMISSION_DENIED, null);
  }

  static Stream<RuntimeException> thrown() {
    return Stream.of(
        new NullPointerException(),
        new IllegalStateException(""),
        new IllegalStateException() {
          private static final long serialVersionUID = 1L;
        },
        answer(),
        answer().notExecuted(),
        answer().withMetadata(Metadata.EMPTY.with(Metadata.Key.text("why"), "no")),
        answer().passOn());
  }

  private RpcException failure(
      Consumer<VerbenaServer.Builder> server, Consumer<VerbenaClient.Builder> client) {
    world.server(
        s -> {
          s.serve(Probe.bind(new Probe.Plain()));
          server.accept(s);
        });
    Probe.Stub stub = new Probe.Stub(world.client(client).session(world.address()));
    CompletableFuture<String> call = stub.submit(Probe.SLOW, "");
    world.runUntil(call::isDone);
    world.pass(Duration.ofMillis(1));
    assertThat(call.exceptionNow()).isInstanceOf(RpcException.class);
    return (RpcException) call.exceptionNow();
  }

  private static void hasNoNull(RpcException failure) {
    assertThat(failure.getMessage())
        .doesNotContain("null")
        .doesNotContain(": :")
        .doesNotMatch(".*[: ]");
  }

  @ParameterizedTest
  @MethodSource("thrown")
  void ofAHandler(RuntimeException thrown) {
    RpcException failure =
        failure(
            s ->
                s.serverInterceptor(
                    (call, next) -> {
                      throw thrown;
                    }),
            c -> {});
    hasNoNull(failure);
    assertThat(failure.getMessage())
        .contains(
            thrown instanceof RpcException ? "PERMISSION_DENIED" : thrown.getClass().getName());
  }

  @ParameterizedTest
  @MethodSource("thrown")
  void ofAnAuthenticator(RuntimeException thrown) {
    hasNoNull(
        failure(
            s ->
                s.authenticator(
                    credentials -> {
                      throw thrown;
                    }),
            c -> {}));
  }

  @ParameterizedTest
  @MethodSource("thrown")
  void ofATokenSupplier(RuntimeException thrown) {
    hasNoNull(
        failure(
            s -> {},
            c ->
                c.token(
                    () -> {
                      throw thrown;
                    })));
  }

  @ParameterizedTest
  @MethodSource("thrown")
  void inALineOfTheLog(RuntimeException thrown) {
    assertThat(Stream.of(Thrown.words(thrown), Thrown.fullWords(thrown), Thrown.reason(thrown)))
        .noneMatch(words -> words.isBlank() || words.contains("null") || words.endsWith(": "));
  }

  @Test
  void aWrapperWithoutAMessageIsToldWithItsCause() {
    IOException why = new IOException("the disk is full");
    Exception wrapper = new UndeclaredThrowableException(new InvocationTargetException(why));
    assertThat(Thrown.words(wrapper))
        .isEqualTo(
            "UndeclaredThrowableException: java.lang.reflect.InvocationTargetException:"
                + " java.io.IOException: the disk is full");
    why.initCause(wrapper);
    assertThat(Thrown.reason(new RuntimeException(null, wrapper))).endsWith("the disk is full");
  }

  @Test
  void causesWithoutAMessageMayFormACycle() {
    RuntimeException one = new IllegalStateException((String) null);
    one.initCause(new IllegalArgumentException(null, one));
    assertThat(Thrown.words(one))
        .startsWith("IllegalStateException: java.lang.IllegalArgumentException")
        .hasSizeLessThan(200);
  }

  @Test
  void anExceptionWithAMessageKeepsIt() {
    Exception thrown = new IllegalStateException("the disk is full");
    assertThat(Thrown.words(thrown)).isEqualTo("IllegalStateException: the disk is full");
    assertThat(Thrown.fullWords(thrown))
        .isEqualTo("java.lang.IllegalStateException: the disk is full");
    assertThat(Thrown.reason(thrown)).isEqualTo("the disk is full");
  }
}
