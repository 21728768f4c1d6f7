package io.verbena.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.CallOptions;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.core.Probe;
import io.verbena.core.VerbenaServer;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.mem.InMemoryNetwork.Admission;
import io.verbena.testkit.RecordingListener;
import io.verbena.testkit.SteppedWorld;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A server's process is gone without a word: what its machine says of it decides who waits. */
class GoneServerTest {
  private static final Duration SOON = Duration.ofSeconds(1);

  private final SteppedWorld world = new SteppedWorld();
  private final URI address = URI.create(world.address());
  private final Session session = world.client().session(world.address());
  private final Probe.Stub stub = new Probe.Stub(session);
  private final Probe.Counting probe = new Probe.Counting();
  private final List<Runnable> running = new ArrayList<>();
  private final VerbenaServer server =
      world.server(s -> s.serve(Probe.bind(probe)).handlers(running::add));

  @BeforeEach
  void open() {
    CompletableFuture<String> first = stub.submit(Probe.ECHO, "open");
    world.runUntil(first::isDone);
  }

  @AfterEach
  void leavesNoSlotInUse() {
    world.pass(Duration.ofMillis(100));
    assertThat(world.client().slotsInUse()).isZero();
    world.close();
  }

  private CompletableFuture<String> sent() {
    CompletableFuture<String> call = stub.submit(Probe.SLOW, "sent");
    world.settle();
    assertThat(running).isNotEmpty();
    return call;
  }

  private void lose(Admission admission) {
    world.network().admit(address, admission);
    world.network().drop(address, "the peer closed the connection");
    world.settle();
  }

  @Test
  void whereTheResumeWindowEndsAtAMachineThatSaysNothingTheFailureTellsOfTheWindow()
      throws LinkException {
    CompletableFuture<String> sent = sent();
    lose(Admission.IGNORE);
    server.close();
    try (LinkDriver mute = world.network().newDriver(() -> {})) {
      LinkOptions options = LinkOptions.of(65536, Duration.ofSeconds(10), null);
      mute.listen(address, options, link -> new RecordingListener());
      world.network().admit(address, Admission.ACCEPT);
      world.runUntil(
          () -> {
            mute.poll();
            return sent.isDone();
          });
    }
    assertThat(failureOf(sent).getMessage())
        .contains("before the end of the resume window of 5000 ms")
        .contains("resumeWindow")
        .doesNotContain("connectTimeout");
  }

  private static RpcException failureOf(CompletableFuture<String> call) {
    assertThat(call.exceptionNow()).isInstanceOf(RpcException.class);
    return (RpcException) call.exceptionNow();
  }

  @Test
  void callsThatWereSentFailAsSoonAsItIsSureThatNobodyListens() {
    CompletableFuture<String> call = sent();
    lose(Admission.NOBODY_LISTENS);
    world.pass(SOON);
    RpcException failure = failureOf(call);
    assertThat(failure.status()).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(failure.execution()).isEqualTo(Execution.UNKNOWN);
    assertThat(failure).hasMessageContaining("nothing listens at").hasMessageContaining("server");
  }

  @Test
  void whoIsAwayForAMomentLosesNothing() {
    CompletableFuture<String> call = sent();
    lose(Admission.NOBODY_LISTENS);
    world.pass(Duration.ofMillis(300));
    world.network().admit(address, Admission.ACCEPT);
    running.forEach(Runnable::run);
    world.runUntil(call::isDone);
    assertThat(call).isCompletedWithValue("sent");
    assertThat(probe.executions).containsEntry("sent", 1);
  }

  @Test
  void whatDoesNotTellWhoListensIsRiddenOutAsBefore() {
    CompletableFuture<String> call = sent();
    lose(Admission.REFUSE);
    world.pass(Duration.ofSeconds(3));
    assertThat(call).isNotDone();
    world.network().admit(address, Admission.ACCEPT);
    running.forEach(Runnable::run);
    world.runUntil(call::isDone);
    assertThat(call).isCompletedWithValue("sent");
  }

  @Test
  void callsThatWereNotSentRideARestartOut() {
    CompletableFuture<String> taken = sent();
    lose(Admission.NOBODY_LISTENS);
    CompletableFuture<String> waiting = stub.submit(Probe.ECHO, "waiting");
    world.pass(Duration.ofSeconds(3));
    assertThat(taken).isCompletedExceptionally();
    CompletableFuture<String> later = stub.submit(Probe.ECHO, "later");
    world.pass(SOON);
    assertThat(waiting).isNotDone();
    world.network().admit(address, Admission.ACCEPT);
    world.runUntil(() -> waiting.isDone() && later.isDone());
    assertThat(waiting).isCompletedWithValue("waiting");
    assertThat(later).isCompletedWithValue("later");
    assertThat(probe.executions).containsEntry("waiting", 1);
  }

  @Test
  void callsThatWereNotSentFailWithTheCauseWhenTheWindowIsOver() {
    lose(Admission.NOBODY_LISTENS);
    CompletableFuture<String> waiting = stub.submit(Probe.ECHO, "waiting");
    world.pass(Duration.ofSeconds(7));
    RpcException failure = failureOf(waiting);
    assertThat(failure.status()).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(failure.execution()).isEqualTo(Execution.NOT_EXECUTED);
    assertThat(failure).hasMessageContaining("nothing listens at");
    CompletableFuture<String> next = stub.submit(Probe.ECHO, "at once");
    world.pass(SOON.plus(SOON));
    assertThat(failureOf(next).status()).isEqualTo(RpcStatus.UNAVAILABLE);
  }

  @Test
  void aDeadlineThatIsFirstTellsWhatReconnectingMet() {
    Probe.Stub hasty = new Probe.Stub(session, CallOptions.timeout(SOON));
    for (Admission admission : List.of(Admission.NOBODY_LISTENS, Admission.REFUSE)) {
      lose(admission);
      CompletableFuture<String> call = hasty.submit(Probe.ECHO, "in time?");
      world.pass(SOON);
      RpcException failure = failureOf(call);
      assertThat(failure.status()).isEqualTo(RpcStatus.DEADLINE_EXCEEDED);
      assertThat(failure)
          .hasMessageContaining("1000 ms")
          .hasMessageContaining(admission == Admission.REFUSE ? "refuses" : "nothing listens");
      world.network().admit(address, Admission.ACCEPT);
      world.pass(SOON.plus(SOON));
    }
  }

  @Test
  void aDeadlineThatIsFirstTellsThatTheServerIsSilent() {
    Probe.Stub hasty = new Probe.Stub(session, CallOptions.timeout(Duration.ofMillis(500)));
    lose(Admission.IGNORE);
    CompletableFuture<String> call = hasty.submit(Probe.ECHO, "in time?");
    world.pass(SOON);
    assertThat(failureOf(call))
        .hasMessageContaining("mem://server has not answered for")
        .hasMessageContaining("the peer closed the connection");
  }
}
