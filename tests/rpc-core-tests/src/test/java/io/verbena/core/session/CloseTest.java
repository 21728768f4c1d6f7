package io.verbena.core.session;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.Execution;
import io.verbena.api.Metadata;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.core.Probe;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nobody waits in vain for a client or a server that was closed, on threads of their own. */
@Timeout(60)
class CloseTest {
  private final CountDownLatch started = new CountDownLatch(1);
  private final CountDownLatch release = new CountDownLatch(1);
  private final VerbenaServer server =
      VerbenaServer.builder()
          .listen("mem://close-test:0")
          .drainTime(Duration.ofMillis(100))
          .serve(
              Probe.bind(
                  new Probe.Plain() {
                    @Override
                    public String slow(String text) throws Exception {
                      started.countDown();
                      release.await();
                      return text;
                    }
                  }))
          .start();
  private final VerbenaClient client = VerbenaClient.builder().build();

  @AfterEach
  void close() {
    release.countDown();
    client.close();
    server.close();
  }

  private Session connect() {
    return client.connect(server.address().toString());
  }

  private static RpcException failureOf(CompletableFuture<String> call) {
    assertThat(call)
        .failsWithin(20, TimeUnit.SECONDS)
        .withThrowableThat()
        .withCauseInstanceOf(RpcException.class);
    return (RpcException) call.exceptionNow();
  }

  @Test
  void aHandlerThatClosesItsServerAnswersAndIsNotWaitedForByItself() throws Exception {
    AtomicReference<VerbenaServer> own = new AtomicReference<>();
    own.set(
        VerbenaServer.builder()
            .listen("mem://close-test-own:0")
            .drainTime(Duration.ofSeconds(30))
            .serve(
                Probe.bind(
                    new Probe.Plain() {
                      @Override
                      public String slow(String text) {
                        requireNonNull(own.get()).close();
                        return "closing";
                      }
                    }))
            .start());
    Session session = client.connect(requireNonNull(own.get()).address().toString());
    CompletableFuture<String> call = new Probe.Stub(session).submit(Probe.SLOW, "");
    assertThat(call).succeedsWithin(20, TimeUnit.SECONDS).isEqualTo("closing");
    own.get().awaitClose();
  }

  @Test
  void aServerDoesNotListenWhereNobodySaidSo() {
    assertThatThrownBy(() -> VerbenaServer.builder().start())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("listen(\"host:port\")");
  }

  @Test
  void closingAClientFailsItsCallsInFlight() throws Exception {
    CompletableFuture<String> call = new Probe.Stub(connect()).submit(Probe.SLOW, "");
    started.await();
    client.close();
    assertThat(failureOf(call).status()).isEqualTo(RpcStatus.CANCELLED);
  }

  @Test
  void aCallOnAClosedClientFailsInsteadOfWaitingForALoopThatHasEnded() {
    Probe.Stub stub = new Probe.Stub(connect());
    client.close();
    RpcException failure = failureOf(stub.submit(Probe.ECHO, ""));
    assertThat(failure.status()).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(failure.mayRetry()).as("it stays closed").isFalse();
    assertThatThrownBy(() -> stub.call(Probe.ECHO, "")).isInstanceOf(RpcException.class);
    assertThat(client.slotsInUse()).isZero();
  }

  @Test
  void noCallOnAClosedSessionIsWorthRepeating() {
    Session session = connect();
    Probe.Stub stub = new Probe.Stub(session);
    session.close();
    RpcException failure = failureOf(stub.submit(Probe.ECHO, ""));
    assertThat(failure.execution()).isEqualTo(Execution.NOT_EXECUTED);
    assertThat(failure.mayRetry()).isFalse();
    assertThat(failure.withMetadata(Metadata.EMPTY).mayRetry()).isFalse();
    assertThatThrownBy(() -> stub.tell("nobody"))
        .isInstanceOfSatisfying(RpcException.class, e -> assertThat(e.mayRetry()).isFalse());
  }

  @Test
  void aClosedClientOpensNoSession() {
    client.close();
    assertThatThrownBy(this::connect)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
  }

  /** Runs something on the client's loop, as the callback of a call that has yet to be answered. */
  private CompletableFuture<Void> onTheLoop(Runnable callback) throws Exception {
    CompletableFuture<String> call = new Probe.Stub(connect()).submit(Probe.SLOW, "");
    CompletableFuture<Void> done = call.thenAccept(text -> callback.run());
    started.await();
    release.countDown();
    return done;
  }

  @Test
  void aClientClosedByACallbackOnItsLoopDoesNotWaitForItself() throws Exception {
    assertThat(onTheLoop(client::close)).succeedsWithin(20, TimeUnit.SECONDS);
  }

  @Test
  void connectingOnTheLoopIsRefusedInsteadOfHangingIt() throws Exception {
    assertThat(onTheLoop(this::connect))
        .failsWithin(20, TimeUnit.SECONDS)
        .withThrowableThat()
        .withMessageContaining("event loop");
  }

  @Test
  void aServerClosedByItsOwnHandlerOnTheLoopCloses() throws Exception {
    CompletableFuture<VerbenaServer> self = new CompletableFuture<>();
    VerbenaServer suicidal =
        VerbenaServer.builder()
            .listen("mem://close-test:0")
            .drainTime(Duration.ofMinutes(1))
            .serve(
                Probe.bind(
                    new Probe.Plain() {
                      @Override
                      public String echo(String text) {
                        self.join().close();
                        return text;
                      }
                    }))
            .start();
    self.complete(suicidal);
    Session session = client.connect(suicidal.address().toString());
    assertThat(new Probe.Stub(session).submit(Probe.ECHO, "bye"))
        .succeedsWithin(20, TimeUnit.SECONDS)
        .isEqualTo("bye");
    suicidal.awaitClose();
  }

  @Test
  void aCallBackOnAClosedServerFails() throws Exception {
    CompletableFuture<Session> seen = new CompletableFuture<>();
    VerbenaServer calling =
        VerbenaServer.builder().listen("mem://close-test:0").onSession(seen::complete).start();
    client.connect(calling.address().toString());
    Probe.Stub back = new Probe.Stub(seen.get(20, TimeUnit.SECONDS));
    calling.close();
    assertThat(failureOf(back.submit(Probe.ECHO, "")).status()).isEqualTo(RpcStatus.UNAVAILABLE);
  }
}
