package io.verbena.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.CallOptions;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.SessionState;
import io.verbena.core.Probe;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.SteppedWorld;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A session with one of several servers: its calls do not wait for the next one. */
class SessionOfManyTest {
  private final SteppedWorld world = new SteppedWorld();
  private final Session session = world.client().sessionOfMany(world.address(), "");
  private final Probe.Stub stub =
      new Probe.Stub(session, CallOptions.timeout(Duration.ofSeconds(10)));

  @AfterEach
  void leavesNoSlotInUse() {
    world.pass(Duration.ofMillis(100));
    assertThat(world.client().slotsInUse()).isZero();
    world.close();
  }

  private static void assertMayGoElsewhere(CompletableFuture<?> call) {
    assertThat(call.exceptionNow())
        .isInstanceOfSatisfying(
            RpcException.class,
            e -> {
              assertThat(e.status()).isEqualTo(RpcStatus.UNAVAILABLE);
              assertThat(e.execution()).isEqualTo(Execution.NOT_EXECUTED);
            });
  }

  private VerbenaServer server() {
    return world.server(s -> s.serve(Probe.bind(new Probe.Plain())));
  }

  @Test
  void opensWithoutACall() {
    VerbenaServer _ = server();
    world.settle();
    assertThat(session.state()).isEqualTo(SessionState.IDLE);
    CompletableFuture<Void> opened = world.client().open(session).toCompletableFuture();
    world.settle();
    assertThat(opened).isCompleted();
    assertThat(session.state()).isEqualTo(SessionState.OPEN);
  }

  @Test
  void orSaysWhyNot() {
    CompletableFuture<Void> opened = world.client().open(session).toCompletableFuture();
    world.runUntil(opened::isDone);
    assertThat(opened.exceptionNow()).hasMessageStartingWith("nothing listens at mem://server");
  }

  @Test
  void callsFailAtOnceWhereTheServerDrains() {
    VerbenaServer server = server();
    world.client().open(session);
    world.settle();
    server.drain();
    world.settle();
    CompletableFuture<String> call = stub.submit(Probe.ECHO, "elsewhere");
    world.settle();
    assertMayGoElsewhere(call);
  }

  @Test
  void soDoThoseThatHaveNotLeftYet() {
    VerbenaServer server = server();
    world.client().open(session);
    world.settle();
    world.pauseServer(true);
    CompletableFuture<String> last = stub.submit(Probe.ECHO, "first");
    for (int i = 0; i < 1_000; i++) { // more than the link takes
      last = stub.submit(Probe.ECHO, "call " + i);
    }
    world.settle();
    server.drain();
    world.pauseServer(false);
    world.settle();
    assertMayGoElsewhere(last);
  }
}
