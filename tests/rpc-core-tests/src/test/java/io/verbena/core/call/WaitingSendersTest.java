package io.verbena.core.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.core.Probe;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaServer;
import io.verbena.core.stat.OnewayStat;
import io.verbena.core.user.UserSession;
import io.verbena.mem.InMemoryNetwork;
import io.verbena.mem.InMemoryNetwork.Admission;
import io.verbena.testkit.SteppedWorld;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads that wait in {@code send} for a place in the window, and what makes room for them. */
@Timeout(60)
class WaitingSendersTest {
  private static final int WINDOW = 64;
  private static final int SENDERS = 5;
  private static final SessionLimits LIMITS = SessionLimits.DEFAULT.withMaxCalls(WINDOW);

  private final SteppedWorld world = new SteppedWorld(LIMITS, InMemoryNetwork.DEFAULT_RING_FRAMES);
  private final URI address = URI.create(world.address());
  private final Probe.Counting probe = new Probe.Counting();
  private final ArrayDeque<Runnable> handlers = new ArrayDeque<>();
  private final UserSession session = (UserSession) world.client().session(world.address());
  private final Probe.Stub stub = new Probe.Stub(session);
  private final List<CompletableFuture<Void>> sends = new ArrayList<>();
  private final List<Thread> senders = new ArrayList<>();
  private final VerbenaServer server =
      world.server(s -> s.serve(Probe.bind(probe)).handlers(handlers::add));

  @BeforeEach
  void sendersWaitForAPlace() {
    CompletableFuture<String> first = stub.submit(Probe.ECHO, "open");
    world.runUntil(first::isDone);
    IntStream.range(0, WINDOW).forEach(i -> stub.tell("note " + i));
    world.settle();
    for (int i = 0; i < SENDERS; i++) {
      String text = "more " + i;
      CompletableFuture<Void> sent = new CompletableFuture<>();
      sends.add(sent);
      senders.add(Thread.ofVirtual().start(() -> send(text, sent)));
    }
    while (session.window().getQueueLength() < SENDERS) {
      Thread.onSpinWait();
    }
  }

  private void send(String text, CompletableFuture<Void> sent) {
    try {
      stub.tell(text);
      sent.complete(null);
    } catch (Throwable e) {
      sent.completeExceptionally(e);
    }
  }

  @AfterEach
  void leavesNoSlotInUse() {
    world.pass(Duration.ofMillis(100));
    assertThat(world.client().slotsInUse()).isZero();
    world.close();
  }

  /** Waits until the senders have taken their places, and wait no more or for the loop. */
  private void sendersGoOn() {
    for (Thread sender : senders) {
      while (!waitsForTheLoop(sender) && sender.getState() != Thread.State.TERMINATED) {
        Thread.onSpinWait();
      }
    }
  }

  /** One that has its place, and has not run since, still waits by the window's lock. */
  private static boolean waitsForTheLoop(Thread sender) {
    Object blocker = LockSupport.getBlocker(sender);
    return sender.getState() == Thread.State.TIMED_WAITING
        && blocker != null
        && !(blocker instanceof AbstractQueuedSynchronizer);
  }

  private void runHandlers() {
    while (!handlers.isEmpty()) {
      handlers.poll().run();
    }
  }

  private void loseTheServer() {
    world.network().admit(address, Admission.NOBODY_LISTENS);
    world.network().drop(address, "the peer closed the connection");
  }

  private void assertThatAllFailedUnexecuted() {
    assertThat(sends)
        .allSatisfy(
            sent ->
                assertThat(sent.exceptionNow())
                    .isInstanceOfSatisfying(
                        RpcException.class,
                        failure -> {
                          assertThat(failure.status()).isEqualTo(RpcStatus.UNAVAILABLE);
                          assertThat(failure.execution()).isEqualTo(Execution.NOT_EXECUTED);
                        }));
    assertThat(unsent()).as("told by send, and not counted as lost behind its back").isZero();
    assertThat(probe.executions).doesNotContainKey("more 0");
  }

  private long unsent() {
    return session.stat().oneways().unsent();
  }

  private void assertThatAllWereExecutedOnce(Probe.Counting where) {
    assertThat(sends).allSatisfy(sent -> assertThat(sent).isCompleted());
    assertThat(IntStream.range(0, SENDERS).mapToObj(i -> "more " + i))
        .allSatisfy(text -> assertThat(where.executions).containsEntry(text, 1));
  }

  /**
   * Lets time pass until there is room for all of them, and none while they take it: how long their
   * threads need for that is the machine's affair.
   */
  private void untilTheyHavePlaces() {
    world.runUntil(() -> session.window().availablePermits() >= WINDOW - SENDERS);
    sendersGoOn();
  }

  @Test
  void whereTheServerIsLostAndNoneComesTheyAreToldThatTheirCallsNeverLeft() {
    loseTheServer();
    untilTheyHavePlaces();
    world.pass(Duration.ofSeconds(6));
    sendersGoOn();
    assertThatAllFailedUnexecuted();
    assertThat(session.stat().oneways()).isEqualTo(new OnewayStat(0, WINDOW, 0, 0, 0));
  }

  @Test
  void whereTheServerIsLostTheyWaitForTheNext() {
    loseTheServer();
    untilTheyHavePlaces();
    assertThat(sends).noneMatch(CompletableFuture::isDone);
    Probe.Counting next = new Probe.Counting();
    server.close();
    world.network().admit(address, Admission.ACCEPT);
    world.server(s -> s.serve(Probe.bind(next)));
    world.pass(Duration.ofSeconds(2));
    sendersGoOn();
    assertThatAllWereExecutedOnce(next);
  }

  @Test
  void whereTheSessionResumesTheyGoOn() {
    world.network().admit(address, Admission.REFUSE);
    world.network().drop(address, "unplugged");
    world.pass(Duration.ofSeconds(1));
    assertThat(sends).noneMatch(CompletableFuture::isDone);
    world.network().admit(address, Admission.ACCEPT);
    world.pass(Duration.ofSeconds(1));
    runHandlers();
    untilTheyHavePlaces();
    world.pass(Duration.ofMillis(100));
    runHandlers();
    assertThatAllWereExecutedOnce(probe);
    assertThat(unsent()).isZero();
  }

  @Test
  void whereTheSessionIsClosedTheyAreToldThatTheirCallsNeverLeft() {
    ((Session) session).close();
    untilTheyHavePlaces();
    world.settle();
    sendersGoOn();
    assertThatAllFailedUnexecuted();
  }

  @Test
  void whereTheServerDrainsTheyWaitForTheNext() {
    server.drain();
    world.settle();
    runHandlers();
    untilTheyHavePlaces();
    world.pass(Duration.ofMillis(200));
    assertThat(sends).noneMatch(CompletableFuture::isDone);
    server.close();
    Probe.Counting next = new Probe.Counting();
    world.server(s -> s.serve(Probe.bind(next)));
    world.pass(Duration.ofSeconds(1));
    sendersGoOn();
    assertThatAllWereExecutedOnce(next);
    assertThat(probe.executions).hasSize(WINDOW + 1);
  }
}
