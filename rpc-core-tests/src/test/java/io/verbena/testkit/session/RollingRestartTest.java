package io.verbena.testkit.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.CallOptions;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.SessionState;
import io.verbena.core.VerbenaServer;
import io.verbena.mem.InMemoryNetwork.Admission;
import io.verbena.testkit.SteppedWorld;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A server that shuts down in order, and a next one that takes its time to start. */
class RollingRestartTest {
  private static final Duration GAP = Duration.ofSeconds(3);
  private static final Duration MORE_THAN_RESUME_WINDOW = Duration.ofSeconds(8);

  private final SteppedWorld world = new SteppedWorld();
  private final URI address = URI.create(world.address());
  private final VerbenaServer server = world.server(s -> s.serve(Probe.bind(new Probe.Plain())));
  private final Probe.Counting next = new Probe.Counting();
  private Session session = world.client().session(world.address());

  /** Opens the session, and has the server drain. */
  private Probe.Stub drains(CallOptions options) {
    Probe.Stub stub = new Probe.Stub(session, options);
    CompletableFuture<String> first = stub.submit(Probe.ECHO, "first");
    world.runUntil(first::isDone);
    server.drain();
    world.settle();
    assertThat(session.state()).isEqualTo(SessionState.DRAINING);
    return stub;
  }

  /** The server is gone, and who knocks there meets this. */
  private void gap(Admission admission) {
    server.close();
    world.network().admit(address, admission);
    world.settle();
  }

  private void nextServer() {
    world.network().admit(address, Admission.ACCEPT);
    world.server(s -> s.serve(Probe.bind(next)));
  }

  private static RpcException failureOf(CompletableFuture<String> call) {
    assertThat(call.exceptionNow()).isInstanceOf(RpcException.class);
    return (RpcException) call.exceptionNow();
  }

  @AfterEach
  void leavesNoSlotInUse() {
    world.pass(Duration.ofMillis(100));
    assertThat(world.client().slotsInUse()).isZero();
    world.close();
  }

  @ParameterizedTest
  @CsvSource({
    "NOBODY_LISTENS, false",
    "NOBODY_LISTENS, true",
    "REFUSE, false",
    "REFUSE, true",
    "IGNORE, false",
    "IGNORE, true"
  })
  void callsMadeMeanwhileWaitForTheNextServer(Admission met, boolean keepsOpen) {
    if (keepsOpen) {
      session = world.client(c -> c.keepOpen()).session(world.address());
    }
    Probe.Stub stub = drains(CallOptions.timeout(Duration.ofSeconds(10)));
    CompletableFuture<String> whileItDrains = stub.submit(Probe.ECHO, "while it drains");
    world.pass(Duration.ofMillis(200));
    gap(met);
    CompletableFuture<String> inTheGap = stub.submit(Probe.ECHO, "in the gap");
    world.pass(GAP);
    assertThat(whileItDrains).isNotDone();
    assertThat(inTheGap).isNotDone();
    nextServer();
    world.runUntil(() -> whileItDrains.isDone() && inTheGap.isDone());
    assertThat(whileItDrains).isCompletedWithValue("while it drains");
    assertThat(inTheGap).isCompletedWithValue("in the gap");
    assertThat(next.executions).hasSize(2).containsEntry("while it drains", 1);
  }

  @ParameterizedTest
  @EnumSource(names = {"NOBODY_LISTENS", "REFUSE"})
  void whereNoneComesTheyFailAfterTheResumeWindowAndSayWhy(Admission met) {
    Probe.Stub stub = drains(CallOptions.timeout(Duration.ofSeconds(30)));
    CompletableFuture<String> call = stub.submit(Probe.ECHO, "in vain");
    gap(met);
    world.pass(MORE_THAN_RESUME_WINDOW);
    RpcException failure = failureOf(call);
    assertThat(failure.status()).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(failure.execution()).isEqualTo(Execution.NOT_EXECUTED);
    assertThat(failure)
        .hasMessageContaining("the server shut down, and no other is there yet: ")
        .hasMessageContaining(met == Admission.REFUSE ? "refuses" : "nobody listens");
    CompletableFuture<String> late = stub.submit(Probe.ECHO, "at once");
    world.pass(Duration.ofSeconds(1));
    assertThat(failureOf(late)).hasMessageContaining("the server shut down");
  }

  @Test
  void aDeadlineThatPassesWhileItDrainsTellsWhatTheCallWaitedFor() {
    Probe.Stub stub = drains(CallOptions.timeout(Duration.ofSeconds(1)));
    CompletableFuture<String> call = stub.submit(Probe.ECHO, "in time?");
    world.pass(Duration.ofMillis(1_100));
    assertThat(failureOf(call))
        .hasMessageContaining("its deadline of 1000 ms passed while it waited for the next server")
        .hasMessageContaining("the peer shuts down");
  }

  @ParameterizedTest
  @EnumSource(names = {"NOBODY_LISTENS", "REFUSE", "IGNORE"})
  void aDeadlineThatIsFirstTellsThatTheServerShutDown(Admission met) {
    Probe.Stub stub = drains(CallOptions.timeout(Duration.ofSeconds(2)));
    CompletableFuture<String> call = stub.submit(Probe.ECHO, "in time?");
    gap(met);
    world.pass(Duration.ofMillis(2_100));
    RpcException failure = failureOf(call);
    assertThat(failure.status()).isEqualTo(RpcStatus.DEADLINE_EXCEEDED);
    assertThat(failure.execution()).isEqualTo(Execution.NOT_EXECUTED);
    assertThat(failure).hasMessageContaining("the server shut down");
  }
}
