package io.verbena.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.core.Probe;
import io.verbena.core.VerbenaServer;
import io.verbena.mem.InMemoryNetwork.Admission;
import io.verbena.testkit.Seed;
import io.verbena.testkit.SteppedWorld;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls of a session whose links die, or whose peer is gone. */
class ResumeTest {
  private final SteppedWorld world = new SteppedWorld();
  private final URI address = URI.create(world.address());
  private final Session session = world.client().session(world.address());
  private final Probe.Stub stub = new Probe.Stub(session);
  private final List<Runnable> running = new ArrayList<>();

  private VerbenaServer serve(Probe probe) {
    return world.server(s -> s.serve(Probe.bind(probe)));
  }

  private VerbenaServer serveLater(Probe probe) {
    return world.server(s -> s.serve(Probe.bind(probe)).handlers(running::add));
  }

  @AfterEach
  void leavesNoSlotInUse() {
    world.pass(Duration.ofMillis(100));
    assertThat(world.client().slotsInUse()).isZero();
    world.close();
  }

  private void open() {
    CompletableFuture<String> first = stub.submit(Probe.ECHO, "open");
    world.runUntil(first::isDone);
    assertThat(first).isCompletedWithValue("open");
  }

  @Test
  void aReplyThatWasMadeWhileTheLinkWasGoneArrivesOverTheNextOne() {
    Probe.Counting probe = new Probe.Counting();
    serveLater(probe);
    open();
    CompletableFuture<String> call = stub.submit(Probe.SLOW, "answered in between");
    world.settle();
    world.network().admit(address, Admission.REFUSE);
    world.network().drop(address, "cable pulled");
    world.settle();
    running.forEach(Runnable::run);
    world.pass(Duration.ofMillis(50));
    assertThat(call).isNotDone();
    assertThat(session.path().link()).isEqualTo("none");
    world.network().admit(address, Admission.ACCEPT);
    world.runUntil(call::isDone);
    assertThat(call).isCompletedWithValue("answered in between");
    assertThat(probe.executions).containsEntry("answered in between", 1);
    assertThat(session.path().link()).isEqualTo("mem");
  }

  @Test
  void callsMadeWhileTheLinkIsGoneWaitForTheNextOne() {
    serve(new Probe.Counting());
    open();
    world.network().admit(address, Admission.REFUSE);
    world.network().drop(address, "cable pulled");
    world.settle();
    CompletableFuture<String> call = stub.submit(Probe.ECHO, "patient");
    world.pass(Duration.ofSeconds(1));
    assertThat(call).isNotDone();
    world.network().admit(address, Admission.ACCEPT);
    world.runUntil(call::isDone);
    assertThat(call).isCompletedWithValue("patient");
  }

  @Test
  void nothingIsLostAndNothingExecutedTwiceHoweverOftenLinksDie() {
    Probe.Counting probe = new Probe.Counting();
    serve(probe);
    open();
    Random random = Seed.random("links die at random");
    List<CompletableFuture<String>> calls = new ArrayList<>();
    List<String> sent = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      String text = i + "x".repeat(random.nextInt(20) == 0 ? random.nextInt(200_000) : 10);
      sent.add(text);
      if (random.nextInt(10) == 0) {
        stub.tell(text);
      } else {
        calls.add(stub.submit(random.nextBoolean() ? Probe.ECHO : Probe.SLOW, text));
      }
      for (int steps = random.nextInt(6); steps > 0; steps--) {
        world.step();
      }
      if (random.nextInt(4) == 0) {
        world.runHandlers();
      }
      if (random.nextInt(25) == 0) {
        world.network().drop(address, "dropped by the test");
      }
      if (i % 100 == 0) {
        world.pass(Duration.ofMillis(100));
      }
    }
    world.pass(Duration.ofSeconds(2));
    assertThat(calls).allMatch(CompletableFuture::isDone);
    assertThat(calls).noneMatch(CompletableFuture::isCompletedExceptionally);
    sent.forEach(text -> assertThat(probe.executions.get(text)).isEqualTo(1));
  }

  @Test
  void whenTheServerStaysAwayBeyondTheWindowItsCallsFailAsUnknownAndQueuedOnesAsNotExecuted() {
    serveLater(new Probe.Counting());
    open();
    CompletableFuture<String> taken = stub.submit(Probe.SLOW, "taken");
    world.settle();
    world.network().admit(address, Admission.REFUSE);
    world.network().drop(address, "power cut");
    world.settle();
    CompletableFuture<String> queued = stub.submit(Probe.SLOW, "queued");
    world.pass(Duration.ofSeconds(7));
    RpcException lost = (RpcException) taken.exceptionNow();
    assertThat(lost.status()).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(lost.execution()).isEqualTo(Execution.UNKNOWN);
    assertThat(lost.mayRetry()).as("an idempotent method").isTrue();
    RpcException waiting = (RpcException) queued.exceptionNow();
    assertThat(waiting.status()).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(waiting.execution()).isEqualTo(Execution.NOT_EXECUTED);
    running.clear();
  }

  @Test
  void aServerThatTakesTheNextLinkAndSaysNothingDoesNotLengthenTheWindow() {
    serveLater(new Probe.Counting());
    open();
    CompletableFuture<String> taken = stub.submit(Probe.SLOW, "taken");
    world.settle();
    world.network().drop(address, "the machine froze");
    world.step(); // the next link is under way
    world.network().cut(address);
    world.network().admit(address, Admission.IGNORE);
    world.pass(Duration.ofSeconds(7));
    assertThat(taken).isCompletedExceptionally();
    running.clear();
  }

  @Test
  void aRestartedServerIsUsedAgainByTheSameStub() {
    VerbenaServer first = serveLater(new Probe.Counting());
    open();
    CompletableFuture<String> taken = stub.submit(Probe.SLOW, "taken");
    world.settle();
    running.clear();
    first.close();
    world.settle();
    assertThat(((RpcException) taken.exceptionNow()).status()).isEqualTo(RpcStatus.UNAVAILABLE);
    serve(new Probe.Counting());
    CompletableFuture<String> call = stub.submit(Probe.ECHO, "again");
    world.runUntil(call::isDone);
    assertThat(call).isCompletedWithValue("again");
  }

  @Test
  void aServerThatCannotBeReachedFailsTheCallAndIsTriedAgainWithTheNext() {
    CompletableFuture<String> early = stub.submit(Probe.ECHO, "nobody there");
    world.pass(Duration.ofSeconds(1));
    RpcException failure = (RpcException) early.exceptionNow();
    assertThat(failure.status()).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(failure.execution()).isEqualTo(Execution.NOT_EXECUTED);
    serve(new Probe.Counting());
    CompletableFuture<String> call = stub.submit(Probe.ECHO, "now");
    world.runUntil(call::isDone);
    assertThat(call).isCompletedWithValue("now");
  }

  @Test
  void aSilentPeerIsNoticedAndTheSessionResumesWhenTheNetworkHeals() {
    Probe.Counting probe = new Probe.Counting();
    serve(probe);
    open();
    world.network().cut(address);
    world.network().admit(address, Admission.IGNORE);
    CompletableFuture<String> call = stub.submit(Probe.ECHO, "through the silence");
    world.pass(Duration.ofSeconds(7));
    assertThat(session.path().reason()).contains("no sign of life");
    world.network().heal(address);
    world.network().admit(address, Admission.ACCEPT);
    world.runUntil(call::isDone);
    assertThat(call).isCompletedWithValue("through the silence");
    assertThat(probe.executions).containsEntry("through the silence", 1);
  }

  @Test
  void anIdleSessionStaysOpen() {
    serve(new Probe.Counting());
    open();
    world.pass(Duration.ofSeconds(60));
    assertThat(session.path().link()).isEqualTo("mem");
  }

  @Test
  void aPauseOfThisProcessIsNotHeldAgainstThePeer() {
    serve(new Probe.Counting());
    open();
    world.clock().advance(Duration.ofSeconds(30));
    world.settle();
    assertThat(session.path().link()).isEqualTo("mem");
    CompletableFuture<String> call = stub.submit(Probe.ECHO, "awake");
    world.runUntil(call::isDone);
    assertThat(call).isCompletedWithValue("awake");
  }
}
