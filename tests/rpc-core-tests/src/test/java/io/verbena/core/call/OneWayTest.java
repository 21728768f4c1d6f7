package io.verbena.core.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.CallContext;
import io.verbena.api.CallOptions;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.SessionState;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.core.Probe;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaServer;
import io.verbena.core.session.SessionImpl;
import io.verbena.core.stat.OnewayStat;
import io.verbena.mem.InMemoryNetwork;
import io.verbena.testkit.SteppedWorld;
import java.lang.foreign.Arena;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One-way calls are executed at most once and in order; each loss is reported. */
class OneWayTest {
  private static final SessionLimits LIMITS = SessionLimits.DEFAULT.withMaxCalls(64);
  private static final int BYTES = 64 << 10;
  private static final OnewayStat NOTHING = new OnewayStat(0, 0, 0, 0, 0);

  private final SteppedWorld world = new SteppedWorld(LIMITS, InMemoryNetwork.DEFAULT_RING_FRAMES);
  private final List<String> told = new ArrayList<>();
  private final List<Session> accepted = new ArrayList<>();
  private final Probe.Plain probe =
      new Probe.Plain() {
        @Override
        public void tell(String text) {
          assertThat(CallContext.current().isCancelled()).isFalse();
          if (text.startsWith("bad")) {
            throw new IllegalArgumentException(text);
          }
          told.add(Thread.interrupted() ? "interrupted" : text);
        }
      };
  private final Session session = world.client().session(world.address());
  private final Probe.Stub stub = new Probe.Stub(session);

  private VerbenaServer serve() {
    return world.server(s -> s.serve(Probe.bind(probe)).onSession(accepted::add));
  }

  private void open() {
    CompletableFuture<String> call = stub.submit(Probe.ECHO, "");
    world.runUntil(call::isDone);
  }

  private void tell(int count) {
    IntStream.range(0, count).forEach(i -> stub.tell("note " + i));
  }

  private static List<String> notes(int count) {
    return IntStream.range(0, count).mapToObj(i -> "note " + i).toList();
  }

  private static OnewayStat count(Session session) {
    return ((SessionImpl) session).stat().oneways();
  }

  private void stepWithoutHandlers() {
    for (int i = 0; i < 20; i++) {
      world.step();
    }
  }

  @AfterEach
  void leavesNoSlotInUse() {
    world.pass(Duration.ofMillis(100));
    assertThat(world.client().slotsInUse()).isZero();
    world.close();
  }

  @Test
  void howeverLongTheyWaitForAHandlersThreadTheyAreExecuted() {
    serve();
    open();
    tell(64);
    stepWithoutHandlers();
    world.clock().advance(Duration.ofMinutes(10));
    stepWithoutHandlers();
    world.settle();
    assertThat(told).isEqualTo(notes(64));
    assertThat(count(session)).isEqualTo(NOTHING);
    assertThat(count(accepted.getFirst())).isEqualTo(NOTHING);
  }

  @Test
  void startInTheOrderOfSendingTogetherWithOtherCallsAlsoAcrossLostConnections() {
    Probe.Plain recorded =
        new Probe.Plain() {
          @Override
          public String slow(String text) {
            told.add(text);
            return text;
          }

          @Override
          public void tell(String text) {
            told.add(text);
          }
        };
    world.server(s -> s.serve(Probe.bind(recorded)));
    open();
    for (int i = 0; i < 30; i++) {
      if (i % 2 == 0) {
        stub.tell("note " + i);
      } else {
        stub.submit(Probe.SLOW, "note " + i);
      }
      if (i % 10 == 5) {
        world.network().drop(URI.create(world.address()), "a cable was pulled");
      }
      world.step();
    }
    world.pass(Duration.ofSeconds(1));
    assertThat(told).isEqualTo(notes(30));
  }

  @Test
  void aReceiverThatIsBehindPushesBack() {
    serve();
    open();
    tell(64);
    stepWithoutHandlers();
    assertThat(((SessionImpl) session).stat().callsOut()).as("what fills the window").isEqualTo(64);
    assertThatThrownBy(() -> stub.tell("one more"))
        .isInstanceOfSatisfying(
            RpcException.class,
            failure -> {
              assertThat(failure.status()).isEqualTo(RpcStatus.RESOURCE_EXHAUSTED);
              assertThat(failure.execution()).isEqualTo(Execution.NOT_EXECUTED);
            });
    world.pass(Duration.ofMillis(100));
    stub.tell("one more");
    world.settle();
    assertThat(told).hasSize(65).endsWith("one more");
  }

  @Test
  void whereTheExecutorTakesNoneTheyWaitInOrderAndNothingPassesThem() {
    ArrayDeque<Runnable> threads = new ArrayDeque<>();
    world.server(
        s ->
            s.serve(Probe.bind(probe))
                .handlers(
                    task -> {
                      if (threads.size() >= 2) {
                        throw new RejectedExecutionException("two are enough");
                      }
                      threads.add(task);
                    }));
    open();
    tell(20);
    world.pass(Duration.ofSeconds(20));
    CompletableFuture<String> call = stub.submit(Probe.SLOW, "not before them");
    world.settle();
    assertThat(((RpcException) call.exceptionNow()).execution()).isEqualTo(Execution.NOT_EXECUTED);
    for (int i = 0; i < 20; i++) {
      Runnable next = threads.poll();
      if (next != null) {
        next.run();
      }
      world.pass(Duration.ofMillis(60));
    }
    assertThat(told).isEqualTo(notes(20));
    assertThat(count(session)).isEqualTo(NOTHING);
  }

  @Test
  void whatIsDroppedIsCountedAtBothEnds() {
    serve();
    open();
    for (int i = 0; i < 3; i++) {
      session.caller(Probe.service("string"), CallOptions.DEFAULT).send(Probe.TELL, out -> {});
    }
    world.pass(Duration.ofMillis(100));
    assertThat(count(accepted.getFirst())).isEqualTo(new OnewayStat(0, 0, 0, 3, 0));
    assertThat(count(session)).isEqualTo(new OnewayStat(0, 0, 3, 0, 0));
  }

  @Test
  void whatThePeerDoesNotServeDoesNotLeave() {
    world.server(s -> s.onSession(accepted::add)); // serves nothing
    open();
    tell(3);
    world.pass(Duration.ofMillis(100));
    assertThat(count(accepted.getFirst())).isEqualTo(NOTHING);
    assertThat(count(session)).isEqualTo(new OnewayStat(3, 0, 0, 0, 0));
  }

  @Test
  void aHandlerThatThrowsIsCountedWhereItRan() {
    serve();
    open();
    stub.tell("bad luck");
    stub.tell("note 0");
    world.pass(Duration.ofMillis(100));
    assertThat(told).isEqualTo(notes(1));
    assertThat(count(accepted.getFirst())).isEqualTo(new OnewayStat(0, 0, 0, 0, 1));
    assertThat(count(session)).isEqualTo(NOTHING);
  }

  @Test
  void whatIsSentBeforeASessionIsClosedIsExecuted() {
    serve();
    open();
    tell(10);
    session.close();
    world.settle();
    assertThat(told).isEqualTo(notes(10));
  }

  /** Closes the session, of which the server has executed nothing yet. */
  private CompletableFuture<String> closeAmid(int count) {
    serve();
    open();
    CompletableFuture<String> call = stub.submit(Probe.SLOW, "never mind");
    tell(count);
    session.close();
    return call;
  }

  @Test
  void whatArrivesBeforeASessionIsClosedIsNotTakenForLost() {
    CompletableFuture<String> call = closeAmid(10);
    stepWithoutHandlers();
    assertThat(call).as("which has an answer to be waited for").isCompletedExceptionally();
    assertThatThrownBy(() -> stub.tell("too late")).isInstanceOf(RpcException.class);
    world.clock().advance(Duration.ofMillis(30)); // the server acknowledges by then
    stepWithoutHandlers();
    assertThat(((SessionImpl) session).stat().state()).isEqualTo(SessionState.ENDED);
    assertThat(count(session)).isEqualTo(NOTHING);
    world.settle();
    assertThat(told).isEqualTo(notes(10));
  }

  /** Its peer is told of the object a little later, and with the last words at last. */
  @Test
  void whatHasArrivedBeforeAnObjectCameIsNotTakenForLost() {
    serve();
    open();
    Source source = Source.of(Arena.ofAuto().allocate(BYTES));
    Published object = accepted.getFirst().objects().publish(source, Duration.ofMinutes(1));
    tell(3);
    stepWithoutHandlers();
    world.clock().advance(Duration.ofMillis(30));
    stepWithoutHandlers();
    Transfer fetched =
        session.objects().fetch(object.ref(), Landing.of(Arena.ofAuto().allocate(BYTES)));
    stepWithoutHandlers();
    assertThat(fetched.result().toCompletableFuture()).isCompleted();
    session.close();
    stepWithoutHandlers();
    assertThat(((SessionImpl) session).stat().state()).isEqualTo(SessionState.ENDED);
    assertThat(count(session)).isEqualTo(NOTHING);
    world.settle();
    assertThat(told).isEqualTo(notes(3));
  }

  @Test
  void aPeerThatStandsStillIsNotWaitedForLongAndWhatItMayNotHaveIsTold() {
    serve();
    open();
    world.pauseServer(true);
    tell(10);
    session.close();
    world.pass(Duration.ofMillis(1_900));
    assertThat(count(session)).as("as long as it may answer").isEqualTo(NOTHING);
    world.pass(Duration.ofMillis(200));
    assertThat(count(session)).isEqualTo(new OnewayStat(0, 10, 0, 0, 0));
    world.pauseServer(false);
  }

  @Test
  void aLinkThatIsLostWhileItsSessionClosesIsNotMadeAgain() {
    closeAmid(10);
    world.network().drop(URI.create(world.address()), "unplugged");
    stepWithoutHandlers();
    assertThat(((SessionImpl) session).stat().state()).isEqualTo(SessionState.ENDED);
    assertThat(count(session).unknown() + count(session).unsent()).isEqualTo(10);
  }

  @Test
  void whatHasArrivedIsExecutedThoughItsSessionEnds() {
    VerbenaServer server = serve();
    open();
    tell(10);
    stepWithoutHandlers();
    session.close();
    stepWithoutHandlers();
    world.clock().advance(Duration.ofMillis(100)); // what has arrived is acknowledged
    stepWithoutHandlers();
    assertThat(accepted.getFirst().state()).isEqualTo(SessionState.ENDED);
    CompletableFuture<Void> drained = server.drain().toCompletableFuture();
    stepWithoutHandlers();
    assertThat(drained).as("while handlers run").isNotDone();
    world.pass(Duration.ofMillis(100));
    assertThat(told).isEqualTo(notes(10));
    assertThat(drained).isCompleted();
  }

  /** Nobody would make them again, as a call that is refused. */
  @Test
  void whatIsOnItsWayWhenTheServerDrainsIsExecuted() {
    VerbenaServer server = serve();
    open();
    tell(10);
    String longText = "x".repeat(BYTES);
    stub.tell(longText);
    world.pauseServer(true);
    stepWithoutHandlers(); // they have left
    CompletableFuture<Void> drained = server.drain().toCompletableFuture();
    world.pauseServer(false);
    world.pass(Duration.ofMillis(100));
    assertThat(told).hasSize(11).startsWith(notes(10).toArray(String[]::new)).endsWith(longText);
    assertThat(drained).isCompleted();
    assertThat(count(session)).isEqualTo(NOTHING);
  }

  /** A channel's session has no next server. */
  @Test
  void norIsWhatHasNotYetLeftLostWhereNoCallWaitsForTheNextServer() {
    try (SteppedWorld narrow = new SteppedWorld(LIMITS, 4)) {
      VerbenaServer server = narrow.server(s -> s.serve(Probe.bind(probe)));
      Session ofChannel = narrow.client().sessionOfMany(narrow.address(), "");
      Probe.Stub sender = new Probe.Stub(ofChannel);
      CompletableFuture<String> first = sender.submit(Probe.ECHO, "");
      narrow.runUntil(first::isDone);
      narrow.pauseServer(true);
      notes(64).forEach(sender::tell);
      for (int i = 0; i < 20; i++) {
        narrow.step(); // until the ring is full
      }
      CompletableFuture<Void> drained = server.drain().toCompletableFuture();
      narrow.pauseServer(false);
      narrow.pass(Duration.ofMillis(100));
      assertThat(told).isEqualTo(notes(64));
      assertThat(drained).isCompleted();
      assertThat(count(ofChannel)).isEqualTo(NOTHING);
    }
  }

  @Test
  void whatHasLeftIsUnknownWhenThePeerIsLostAndTheRestUnsent() {
    VerbenaServer server = serve();
    open();
    tell(10);
    stepWithoutHandlers();
    world.network().admit(URI.create(world.address()), InMemoryNetwork.Admission.REFUSE);
    world.network().drop(URI.create(world.address()), "unplugged");
    stepWithoutHandlers();
    stub.tell("too late");
    world.pass(Duration.ofSeconds(6));
    assertThat(count(session)).isEqualTo(new OnewayStat(1, 10, 0, 0, 0));
    server.close();
  }

  @Test
  void whereNobodyListensTheyAreCounted() {
    tell(5);
    world.pass(Duration.ofSeconds(1));
    assertThat(count(session)).isEqualTo(new OnewayStat(5, 0, 0, 0, 0));
  }

  @Test
  void anEndedSessionTakesNone() {
    serve();
    open();
    session.close();
    world.settle();
    assertThatThrownBy(() -> stub.tell("too late"))
        .isInstanceOfSatisfying(
            RpcException.class,
            failure -> {
              assertThat(failure.status()).isEqualTo(RpcStatus.UNAVAILABLE);
              assertThat(failure.execution()).isEqualTo(Execution.NOT_EXECUTED);
            });
  }
}
