package io.verbena.core.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.CallContext;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.ServerInterceptor;
import io.verbena.api.Session;
import io.verbena.api.SessionState;
import io.verbena.api.Streams;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.mem.InMemoryNetwork;
import io.verbena.mem.InMemoryNetwork.Admission;
import io.verbena.testkit.SteppedWorld;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Flow;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams end, at both ends, whatever ends them. */
class StreamEndsTest {
  private static final int MOST_CALLS = 64;
  private static final int MOST_BYTES = 64 << 10;
  private static final int MOST_COLLECTIONS = 200;
  private static final SessionLimits LIMITS =
      SessionLimits.DEFAULT
          .withMaxCalls(MOST_CALLS)
          .withMaxMessageBytes(MOST_BYTES)
          .withDefaultTimeout(Duration.ofSeconds(1))
          .withResumeWindow(Duration.ofSeconds(30));

  private final SteppedWorld world = new SteppedWorld(LIMITS, InMemoryNetwork.DEFAULT_RING_FRAMES);
  private final List<Ticks> ofServer = new ArrayList<>();
  private final Listener<Long> ofHandler = new Listener<>();
  private final List<String> intercepted = new CopyOnWriteArrayList<>();
  private boolean spoils;
  private int textsMade;
  private final VerbenaServer server =
      world.server(
          s -> s.serve(TickerRpc.bind(new Served())).serverInterceptor(this::spoilsResult));
  private final Session session = world.client().session(world.address());
  private final TickerRpc.Async ticker = TickerRpc.async(session);

  private final class Served implements Ticker {
    @Override
    public Flow.Publisher<Long> ticks() {
      Ticks made = new Ticks();
      ofServer.add(made);
      return made;
    }

    @Override
    public void start(Flow.Publisher<Long> ticks) {
      ticks.subscribe(ofHandler);
      ofHandler.request(1);
    }

    @Override
    public Flow.Publisher<Long> exchange(Flow.Publisher<Long> ticks) {
      start(ticks);
      return ticks();
    }

    @Override
    public Flow.Publisher<String> texts(int[] lengths) {
      return Streams.of(IntStream.of(lengths).peek(length -> textsMade++).mapToObj("x"::repeat));
    }

    @Override
    public void nothing() {}

    @Override
    public Flow.Publisher<Long> ticksOnLoop() {
      return ticks();
    }

    @Override
    public void nothingOnLoop() {}
  }

  private void spoilsResult(CallContext call, ServerInterceptor.Next next) throws Exception {
    intercepted.add(call.method().fullName());
    Exception _ = next.run();
    if (spoils) {
      throw new RpcException(RpcStatus.PERMISSION_DENIED, "too late");
    }
  }

  @AfterEach
  void leavesNothing() {
    session.close();
    world.pass(Duration.ofMillis(100));
    assertThat(world.client().slotsInUse()).isZero();
    assertThat(server.slotsInUse()).isZero();
    world.close();
  }

  private <T> T done(CompletionStage<T> call) {
    return world.result(call);
  }

  private <T> Listener<T> listens(Flow.Publisher<T> items) {
    Listener<T> listener = new Listener<>();
    items.subscribe(listener);
    return listener;
  }

  private Listener<Long> listensTo(CompletionStage<Flow.Publisher<Long>> call) {
    return listens(done(call));
  }

  /** Whose first item has come. */
  private Listener<Long> begun() {
    return begun(ticker.ticks());
  }

  private Listener<Long> begun(CompletionStage<Flow.Publisher<Long>> call) {
    Listener<Long> listener = listensTo(call);
    listener.request(1);
    world.runUntil(() -> ofServer.getLast().requested == 1);
    ofServer.getLast().send(7);
    world.runUntil(() -> listener.items.size() == 1);
    return listener;
  }

  private static RpcStatus status(Listener<?> listener) {
    return ((RpcException) listener.end.exceptionNow()).status();
  }

  /** One that lets only known methods pass would end every stream. */
  @Test
  void areNothingThatInterceptorsSee() {
    begun().cancel();
    world.runUntil(() -> ofServer.getFirst().cancelled);
    assertThat(intercepted).singleElement().asString().endsWith("ticks");
  }

  /** Over a session whose calls wait for the next server, and over one of many. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void ofAServerThatDrainsGoOnToTheirEnd(boolean ofMany) {
    Session caller = ofMany ? world.client().sessionOfMany(world.address(), "") : session;
    TickerRpc.Async ticks = TickerRpc.async(caller);
    Listener<Long> listener = listensTo(ticks.ticks());
    CompletableFuture<Void> drained = server.drain().toCompletableFuture();
    world.runUntil(() -> caller.state() == SessionState.DRAINING);
    CompletableFuture<Void> next = ticks.nothing().toCompletableFuture();
    for (long tick = 1; tick <= 300; tick++) {
      listener.request(1);
      Ticks sender = ofServer.getFirst();
      long due = tick;
      world.runUntil(() -> sender.requested == due);
      sender.send(tick);
    }
    world.runUntil(() -> listener.items.size() == 300);
    assertThat(next.isCompletedExceptionally()).isEqualTo(ofMany);
    assertThat(drained).isNotDone();
    listener.request(1);
    ofServer.getFirst().complete();
    world.runUntil(() -> listener.end.isDone() && drained.isDone());
    assertThat(listener.end).isCompleted();
    next.cancel(true);
    caller.close();
  }

  /** The call that asks for a stream was under way, and so its stream is, too. */
  @Test
  void ofACallThatRunsWhenItsServerDrainsGoOn() {
    CompletionStage<Flow.Publisher<Long>> call = ticker.ticks();
    for (int i = 0; i < 1_000 && ofServer.isEmpty(); i++) {
      world.step();
    }
    assertThat(call.toCompletableFuture()).isNotDone();
    CompletableFuture<Void> drained = server.drain().toCompletableFuture();
    Listener<Long> listener = listensTo(call);
    listener.request(2);
    world.runUntil(() -> ofServer.getFirst().requested == 2);
    ofServer.getFirst().send(1);
    world.runUntil(() -> listener.items.size() == 1);
    assertThat(drained).isNotDone();
    listener.cancel();
    world.runUntil(drained::isDone);
    assertThat(ofServer.getFirst().cancelled).isTrue();
  }

  @Test
  void thatDoNotEndInTheDrainTimeEndWithTheirServer() {
    Listener<Long> asking = begun();
    asking.request(1);
    Listener<Long> idle = begun();
    CompletableFuture<Void> drained = server.drain().toCompletableFuture();
    world.pass(Duration.ofMillis(5_100));
    assertThat(drained).isCompleted();
    assertThat(asking.end).isNotDone();
    server.close();
    world.runUntil(() -> asking.end.isDone() && idle.end.isDone());
    assertThat(status(asking)).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(status(idle)).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(asking.end.exceptionNow())
        .hasMessageContaining("the server has shut down: call again");
    assertThat(ofServer).allSatisfy(ticks -> assertThat(ticks.cancelled).isTrue());
  }

  @Test
  void aServerThatDrainsHasNoOthersToWaitFor() {
    Listener<Long> listener = begun();
    listener.cancel();
    CompletableFuture<Void> drained = server.drain().toCompletableFuture();
    world.pass(Duration.ofMillis(100));
    assertThat(drained).isCompleted();
  }

  @Test
  void oneIsCancelledWhereItsSistersHaveEveryPlaceInTheWindow() {
    List<Listener<Long>> all = new ArrayList<>();
    for (int i = 0; i < MOST_CALLS; i++) {
      all.add(listensTo(ticker.ticks()));
    }
    all.forEach(one -> one.request(1));
    world.runUntil(() -> ofServer.stream().allMatch(ticks -> ticks.requested == 1));
    all.get(5).cancel();
    world.runUntil(() -> ofServer.get(5).cancelled);
    assertThat(ofServer.stream().filter(ticks -> ticks.cancelled)).hasSize(1);
  }

  @Test
  void oneThatAsksForNothingHearsOfItsSessionsEnd() {
    Listener<Long> idle = begun();
    Ticks arguments = new Ticks();
    done(ticker.start(arguments));
    session.close();
    world.runUntil(() -> idle.end.isDone() && ofHandler.end.isDone());
    assertThat(status(idle)).isEqualTo(RpcStatus.CANCELLED);
    assertThat(status(ofHandler)).isIn(RpcStatus.UNAVAILABLE, RpcStatus.CANCELLED);
    assertThat(ofServer.getFirst().cancelled).isTrue();
  }

  @Test
  void anArgumentEndsWithItsCall() {
    Ticks arguments = new Ticks();
    CompletableFuture<Void> call = ticker.start(arguments).toCompletableFuture();
    for (int i = 0; i < 1000 && !arguments.isSubscribed(); i++) {
      world.step(); // the reply waits for its handler's end
      world.runHandlers();
    }
    world.runUntil(call::isDone);
    world.runUntil(() -> arguments.cancelled || !arguments.isSubscribed());
    assertThat(world.client().streamsSent()).isZero();
  }

  @Test
  void anArgumentLastsAsLongAsTheStreamThatItsCallReturns() {
    Ticks arguments = new Ticks();
    Listener<Long> answers = listensTo(ticker.exchange(arguments));
    answers.request(1);
    world.runUntil(() -> arguments.requested == 1 && ofServer.getFirst().requested == 1);
    world.pass(Duration.ofSeconds(2));
    assertThat(arguments.cancelled).isFalse();
    arguments.send(1);
    ofServer.getFirst().send(2);
    world.runUntil(() -> ofHandler.items.size() == 1 && answers.items.size() == 1);
    answers.cancel();
    world.runUntil(() -> arguments.cancelled);
    assertThat(world.client().streamsSent()).isZero();
  }

  @Test
  void itsPublisherHearsOfThatHoweverLongTheLinkWasLost() {
    Listener<Long> listener = begun();
    URI address = URI.create(world.address());
    world.network().admit(address, Admission.REFUSE);
    world.network().drop(address, "cable pulled");
    world.settle();
    listener.cancel();
    world.pass(Duration.ofSeconds(3)); // the time that other calls have is over
    assertThat(ofServer.getFirst().cancelled).isFalse();
    world.network().admit(address, Admission.ACCEPT);
    world.runUntil(() -> ofServer.getFirst().cancelled);
  }

  @Test
  void nothingIsLeftOfOneWhoseReplyIsNotSent() {
    spoils = true;
    CompletableFuture<Flow.Publisher<Long>> call = ticker.ticks().toCompletableFuture();
    world.runUntil(call::isDone);
    assertThat(call).isCompletedExceptionally();
    assertThat(server.streamsSent()).isZero();
    world.runUntil(() -> ofServer.getLast().cancelled);
  }

  @Test
  void anArgumentThatNobodyAskedForIsLeftToTheNextCall() {
    Ticks arguments = new Ticks();
    ticker.exchange(arguments).toCompletableFuture().cancel(true);
    world.settle();
    assertThat(arguments.isSubscribed()).isFalse();
    Listener<Long> answers = listensTo(ticker.exchange(arguments));
    world.runUntil(() -> arguments.requested == 1);
    answers.cancel();
    world.runUntil(() -> arguments.cancelled);
  }

  @Test
  void anItemThatDoesNotFitBesideOthersHasAMessageOfItsOwn() {
    Listener<String> texts = listens(done(ticker.texts(new int[] {30_000, 50_000, 10, 65_000})));
    texts.request(10);
    world.runUntil(texts.end::isDone);
    assertThat(texts.end).isCompleted();
    assertThat(texts.items.stream().map(String::length))
        .containsExactly(30_000, 50_000, 10, 65_000);
  }

  /** Its receiver asks for more before an answer has come, as long as all answers are full. */
  @Test
  void moreIsRequestedAheadTheMoreIsTaken() {
    Listener<Long> listener = begun();
    listener.request(Long.MAX_VALUE);
    Ticks sender = ofServer.getFirst();
    long sent = 1;
    long ahead = 0;
    for (int turn = 0; turn < 100; turn++) {
      long due = sent;
      world.runUntil(() -> sender.requested > due);
      while (sent < sender.requested) {
        sender.send(sent++);
      }
      world.settle();
      ahead = Math.max(ahead, sender.requested - sent);
      assertThat(sender.requested - sent).isLessThanOrEqualTo(MOST_CALLS / 2 * 256);
    }
    assertThat(ahead).isGreaterThan(2 * 256);
    sender.complete();
    world.runUntil(listener.end::isDone);
    assertThat(listener.items).hasSize((int) sent);
    assertThat(listener.items.subList(1, (int) sent))
        .isEqualTo(LongStream.range(1, sent).boxed().toList());
    assertThat(sharedBytes()).isZero();
  }

  @Test
  void oneItemLeavesAtOnceThoughMoreIsRequested() {
    Listener<Long> listener = begun();
    listener.request(Long.MAX_VALUE);
    Ticks sender = ofServer.getFirst();
    for (int sent = 1; sent < 50; sent++) {
      int due = sent;
      world.runUntil(() -> sender.requested > due);
      sender.send(sent);
      world.runUntil(() -> listener.items.size() == due + 1);
    }
    listener.cancel();
    world.runUntil(() -> sender.cancelled);
    world.settle();
    assertThat(sharedBytes()).isZero();
  }

  /** Answers to several requests have a bound, and these items exceed it. */
  @Test
  void longItemsAmongShortOnesKeepTheirPlace() {
    int[] lengths =
        IntStream.range(0, 600)
            .map(i -> i % 200 < 150 ? 1_000 : i % 3 == 0 ? 63_000 : 40_000)
            .toArray();
    Listener<String> texts = listens(done(ticker.texts(lengths)));
    texts.request(Long.MAX_VALUE);
    world.runUntil(texts.end::isDone);
    assertThat(texts.end).isCompleted();
    assertThat(texts.items.stream().mapToInt(String::length)).containsExactly(boxed(lengths));
    assertThat(sharedBytes()).isZero();
  }

  private static Integer[] boxed(int[] numbers) {
    return IntStream.of(numbers).boxed().toArray(Integer[]::new);
  }

  /** A failure is shorter than the items before it, and might overtake them. */
  @Test
  void aFailureFollowsTheItemsBeforeIt() {
    Listener<Long> listener = begun();
    listener.request(Long.MAX_VALUE);
    Ticks sender = ofServer.getFirst();
    for (int sent = 1; sent < 3_000; sent++) {
      int due = sent;
      world.runUntil(() -> sender.requested > due);
      sender.send(sent);
    }
    sender.fail(new RpcException(RpcStatus.PERMISSION_DENIED, "no more"));
    world.runUntil(listener.end::isDone);
    assertThat(listener.items).hasSize(3_000);
    assertThat(status(listener)).isEqualTo(RpcStatus.PERMISSION_DENIED);
    world.settle();
    assertThat(sharedBytes()).isZero();
  }

  private long sharedBytes() {
    world.settle();
    return world.client().sharedBytesInUse() + server.sharedBytesInUse();
  }

  @Test
  void longItemsAreNotMadeBeforeTheirTurnHoweverManyAreRequested() {
    int[] lengths = IntStream.generate(() -> 20_000).limit(200).toArray();
    Listener<String> texts = listens(done(ticker.texts(lengths)));
    texts.request(200);
    world.runUntil(
        () -> {
          assertThat(textsMade - texts.items.size()).isLessThan(20);
          return texts.end.isDone();
        });
    assertThat(texts.items).hasSize(200);
  }

  @Test
  void aReceiverThatTakesShorterMessagesGetsShorterOnes() {
    int shorter = MOST_BYTES / 4;
    VerbenaClient other = world.client(c -> c.limits(LIMITS.withMaxMessageBytes(shorter)));
    Session itsSession = other.session(world.address());
    TickerRpc.Async its = TickerRpc.async(itsSession);
    int length = shorter / 3;
    Listener<String> texts =
        listens(done(its.texts(new int[] {length, length, length, length, 10})));
    texts.request(10);
    world.runUntil(texts.end::isDone);
    assertThat(texts.end).isCompleted();
    assertThat(texts.items).hasSize(5);
    itsSession.close();
  }

  @Test
  void thoseBeforeAnItemThatNoMessageTakesArrive() {
    Listener<String> texts = listens(done(ticker.texts(new int[] {10, 20, MOST_BYTES})));
    texts.request(10);
    world.runUntil(texts.end::isDone);
    assertThat(texts.items.stream().map(String::length)).containsExactly(10, 20);
    assertThat(status(texts)).isEqualTo(RpcStatus.RESOURCE_EXHAUSTED);
  }

  @Test
  @Timeout(30)
  void whoAsksWaitsForAPlaceInAFullWindow() {
    Listener<Long> listener = begun();
    List<CompletableFuture<Void>> calls = new ArrayList<>();
    for (int i = 0; i < MOST_CALLS; i++) {
      calls.add(ticker.nothing().toCompletableFuture());
    }
    listener.request(1);
    assertThat(listener.end).isNotDone();
    while (ofServer.getFirst().requested < 2 && !listener.end.isDone()) { // who waits has a thread
      world.settle();
      Thread.onSpinWait();
    }
    assertThat(listener.end).isNotDone();
    assertThat(calls).allSatisfy(call -> assertThat(call).isCompleted());
    ofServer.getFirst().send(8);
    world.runUntil(() -> listener.items.size() == 2);
  }

  /** How far a caller comes with a result before it forgets it. */
  private enum Forgotten {
    UNSUBSCRIBED,
    IDLE,
    WITH_ITEMS
  }

  @ParameterizedTest
  @EnumSource
  void aResultThatIsForgottenEndsAtItsServer(Forgotten when) {
    switch (when) {
      case UNSUBSCRIBED -> done(ticker.ticks());
      case IDLE -> begun();
      case WITH_ITEMS -> {
        Listener<Long> listener = begun();
        listener.request(2);
        world.runUntil(() -> ofServer.getFirst().requested == 3);
        ofServer.getFirst().send(8);
        ofServer.getFirst().send(9);
        world.settle();
      }
    }
    assertThat(server.streamsSent()).isEqualTo(1);
    collectUntil(() -> server.streamsSent() == 0);
    world.runUntil(() -> ofServer.getFirst().cancelled);
    assertThat(server.drain().toCompletableFuture())
        .satisfies(drained -> world.runUntil(drained::isDone));
  }

  @Test
  void anArgumentEndsWithTheResultThatIsForgotten() {
    Ticks arguments = new Ticks();
    done(ticker.exchange(arguments));
    world.runUntil(() -> arguments.requested == 1);
    collectUntil(() -> arguments.cancelled);
    assertThat(world.client().streamsSent()).isZero();
  }

  private void collectUntil(BooleanSupplier condition) {
    for (int turn = 0; turn < MOST_COLLECTIONS && !condition.getAsBoolean(); turn++) {
      System.gc();
      world.settle();
    }
    assertThat(condition.getAsBoolean()).as("so after %d collections", MOST_COLLECTIONS).isTrue();
  }

  /** Whose objects are those of other calls again. */
  @Test
  void aCallOnTheLoopLeavesTheStreamOfTheOneBeforeItAlone() {
    Listener<Long> listener = begun(ticker.ticksOnLoop());
    for (int i = 0; i < 3; i++) {
      done(ticker.nothingOnLoop());
    }
    listener.request(1);
    world.runUntil(() -> ofServer.getLast().requested == 2);
    ofServer.getLast().send(8);
    world.runUntil(() -> listener.items.size() == 2);
    assertThat(server.streamsSent()).isEqualTo(1);
    assertThat(ofServer.getLast().cancelled).isFalse();
  }

  @Test
  void aResultBeyondTheMostThatThereMayBeIsToldToItsPublisher() {
    for (int i = 0; i < MOST_CALLS; i++) {
      begun();
    }
    assertThat(server.streamsSent()).isEqualTo(MOST_CALLS);
    CompletableFuture<?> refused = ticker.ticks().toCompletableFuture();
    world.runUntil(() -> refused.isDone() && ofServer.getLast().cancelled);
    assertThat(refused.exceptionNow()).hasMessageContaining("raise maxCalls");
    assertThat(server.streamsSent()).isEqualTo(MOST_CALLS);
  }

  @Test
  void aResultThatIsNotAskedForEndsAfterAMinute() {
    Listener<Long> begun = begun();
    Listener<Long> late = listensTo(ticker.ticks());
    world.pass(Duration.ofSeconds(59));
    assertThat(server.streamsSent()).isEqualTo(2);
    world.pass(Duration.ofSeconds(1));
    assertThat(server.streamsSent()).isEqualTo(1);
    late.request(1);
    begun.request(1);
    world.runUntil(() -> late.end.isDone() && ofServer.getFirst().requested == 2);
    assertThat(status(late)).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(late.end.exceptionNow())
        .hasMessageContaining("a result ends unless its items are requested within 60 s");
    assertThat(begun.end).isNotDone();
  }
}
