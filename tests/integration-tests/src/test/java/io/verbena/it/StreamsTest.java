package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.verbena.api.Answer;
import io.verbena.api.CallOptions;
import io.verbena.api.ClientCall;
import io.verbena.api.ClientInterceptor;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.StreamIterator;
import io.verbena.api.Streams;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.Schema;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.api.stub.ServiceCaller;
import io.verbena.api.stub.ServiceDescriptor;
import io.verbena.api.wire.WireOut;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.link.runtime.ThrottledLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams in both directions, end to end. */
class StreamsTest {
  private final PlainQuotes exchange = new PlainQuotes();
  private final List<AutoCloseable> open = new ArrayList<>();

  /** Takes what comes, and asks for no more than the test does. */
  private static class Taker<T> implements Flow.Subscriber<T> {
    final List<T> items = new ArrayList<>();
    final CompletableFuture<Void> end = new CompletableFuture<>();
    volatile Flow.@Nullable Subscription subscription;

    @Override
    public void onSubscribe(Flow.Subscription to) {
      subscription = to;
    }

    @Override
    public synchronized void onNext(T item) {
      items.add(item);
    }

    @Override
    public void onError(Throwable failure) {
      end.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
      end.complete(null);
    }

    void request(int number) {
      Objects.requireNonNull(subscription).request(number);
    }

    void cancel() {
      Objects.requireNonNull(subscription).cancel();
    }

    synchronized int count() {
      return items.size();
    }
  }

  private Quotes at(String address) throws Exception {
    VerbenaServer server =
        VerbenaServer.builder().listen(address).serve(QuotesRpc.bind(exchange)).start();
    open.add(server);
    return QuotesRpc.client(session(server.address().toString()));
  }

  private Session session(String address) throws Exception {
    VerbenaClient client = VerbenaClient.builder().build();
    open.add(client);
    return client.connect(address);
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable one : open.reversed()) {
      one.close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"mem://quotes", "tcp://127.0.0.1:0"})
  void comeInOrderFromServersAndFromClientsAndBoth(String address) throws Exception {
    Quotes quotes = at(address);
    try (StreamIterator<Quotes.Quote> each = Streams.iterate(quotes.watch("few", 0))) {
      assertThat(Stream.of(each.next(), each.next(), each.next()).map(Quotes.Quote::price))
          .containsExactly(1L, 2L, 3L);
      assertThat(each.hasNext()).isFalse();
    }
    assertThat(quotes.total(Streams.of(LongStream.rangeClosed(1, 10_000)))).isEqualTo(50_005_000);
    List<Long> doubled = new ArrayList<>();
    try (StreamIterator<Long> each =
        Streams.iterate(quotes.doubled(Streams.of(LongStream.range(0, 1_000))))) {
      each.forEachRemaining(doubled::add);
    }
    assertThat(doubled)
        .containsExactlyElementsOf(LongStream.range(0, 1_000).map(n -> 2 * n).boxed().toList());
  }

  @Test
  void takeNoMoreFromTheirPublisherThanIsRequestedAndCancelIt() throws Exception {
    Taker<Quotes.Quote> taker = new Taker<>();
    at("mem://slow").watch("all", 0).subscribe(taker);
    assertThat(exchange.requested).hasValue(0);
    taker.request(5);
    await().until(() -> taker.count() == 5);
    taker.request(2);
    await().until(() -> taker.count() == 7);
    assertThat(exchange.requested.get())
        .isLessThanOrEqualTo(8); // one to know whether there is an end
    assertThat(exchange.cancelled).isNotDone();
    taker.cancel();
    await().until(exchange.cancelled::isDone);
    assertThat(taker.end).isNotDone();
  }

  @Test
  void holdUpNobodyElse() throws Exception {
    Quotes quotes = at("mem://held");
    Taker<Quotes.Quote> slow = new Taker<>();
    quotes.watch("all", 0).subscribe(slow);
    slow.request(1);
    assertThat(quotes.total(Streams.of(List.of(1L, 2L)))).isEqualTo(3);
    await().until(() -> slow.count() == 1);
  }

  @Test
  void failAsTheirPublisherOrTheirCallDoes() throws Exception {
    Quotes quotes = at("mem://failing");
    assertThatThrownBy(() -> quotes.watch("", 0)).isInstanceOf(Quotes.Unknown.class);
    try (StreamIterator<Quotes.Quote> each = Streams.iterate(quotes.watch("broken", 0))) {
      assertThat(each.next().price()).isEqualTo(1);
      assertThat(each.next().price()).isEqualTo(2);
      assertThatThrownBy(each::hasNext)
          .isInstanceOfSatisfying(
              RpcException.class,
              e -> {
                assertThat(e.status()).isEqualTo(RpcStatus.PERMISSION_DENIED);
                assertThat(e.execution()).isEqualTo(Execution.EXECUTED);
              })
          .hasMessageContaining("quotes.v1/watch")
          .hasMessageContaining("not that one");
    }
  }

  @Test
  void areCancelledWhereTheirSubscriberThrowsWhichHearsNoMore() throws Exception {
    Taker<Quotes.Quote> thrower =
        new Taker<>() {
          @Override
          public synchronized void onNext(Quotes.Quote quote) {
            super.onNext(quote);
            throw new IllegalStateException("one is enough");
          }
        };
    at("mem://thrower").watch("all", 0).subscribe(thrower);
    thrower.request(3);
    await().until(exchange.cancelled::isDone);
    assertThat(thrower.count()).isOne();
    assertThat(thrower.end).isNotDone();
  }

  @Test
  void haveOneSubscriber() throws Exception {
    Flow.Publisher<Quotes.Quote> quotes = at("mem://taken").watch("all", 0);
    Taker<Quotes.Quote> first = new Taker<>();
    Taker<Quotes.Quote> second = new Taker<>();
    quotes.subscribe(first);
    quotes.subscribe(second);
    assertThat(second.subscription).isNotNull();
    assertThat(second.end)
        .failsWithin(Duration.ofSeconds(20))
        .withThrowableThat()
        .withMessageContaining("already has a subscriber");
    first.request(1);
    await().until(() -> first.count() == 1);
    assertThat(first.end).isNotDone();
  }

  @Test
  void endWhereNoneOfTheirItemsIsRequested() throws Exception {
    Taker<Quotes.Quote> taker = new Taker<>();
    at("mem://none").watch("all", 0).subscribe(taker);
    taker.request(1);
    await().until(() -> taker.count() == 1);
    taker.request(0);
    assertThat(taker.end)
        .failsWithin(Duration.ofSeconds(20))
        .withThrowableThat()
        .withCauseInstanceOf(IllegalArgumentException.class);
    await().until(exchange.cancelled::isDone);
    assertThat(taker.count()).isOne();
  }

  @Test
  void ofPublishersThatSendMoreThanIsRequestedFail() throws Exception {
    CompletableFuture<Void> cancelled = new CompletableFuture<>();
    Flow.Publisher<Long> generous =
        subscriber ->
            subscriber.onSubscribe(
                new Flow.Subscription() {
                  @Override
                  public void request(long number) {
                    LongStream.rangeClosed(0, number).forEach(subscriber::onNext);
                  }

                  @Override
                  public void cancel() {
                    cancelled.complete(null);
                  }
                });
    Quotes quotes = at("mem://more");
    assertThatThrownBy(() -> quotes.total(generous))
        .isInstanceOf(RpcException.class)
        .hasMessageContaining("more items than requested");
    assertThat(cancelled).succeedsWithin(Duration.ofSeconds(20));
    assertThat(quotes.total(Streams.of(List.of(1L)))).isOne();
  }

  @Test
  void ofArgumentsAreCancelledWhenTheirCallEnds() throws Exception {
    Quotes quotes = at("mem://debt");
    Stream<Long> amounts =
        Stream.iterate(-1L, amount -> amount - 1).onClose(() -> exchange.cancelled.complete(null));
    assertThatThrownBy(() -> quotes.total(Streams.of(amounts)))
        .isInstanceOf(RpcException.class)
        .hasMessageContaining("in debt");
    await().until(exchange.cancelled::isDone);
  }

  @Test
  void thatTheirCallerSpoilsAreItsFaultAndNotTheHandlers() throws Exception {
    Quotes quotes = at("mem://spoilt");
    long before = bugsOfHandlers();
    assertThatThrownBy(() -> quotes.total(Streams.of(Arrays.asList(1L, null))))
        .isInstanceOfSatisfying(
            RpcException.class, e -> assertThat(e.status()).isEqualTo(RpcStatus.INVALID_ARGUMENT))
        .hasMessageContainingAll("the caller's own stream failed", "an item is null");
    assertThat(bugsOfHandlers()).isEqualTo(before);
  }

  @Test
  void areNoServiceThatUsersAreShown() throws Exception {
    VerbenaServer server =
        VerbenaServer.builder().listen("mem://listed").serve(QuotesRpc.bind(exchange)).start();
    open.add(server);
    VerbenaClient client = VerbenaClient.builder().build();
    open.add(client);
    Session session = client.connect(server.address().toString());
    assertThat(QuotesRpc.client(session).total(Streams.of(List.of(1L)))).isOne();
    assertThat(client.services(session))
        .succeedsWithin(Duration.ofSeconds(20))
        .isEqualTo(List.of("quotes.v1"));
  }

  private static long bugsOfHandlers() {
    return ThrottledLog.counts()
        .getOrDefault("handlers that threw what their contract does not declare", 0L);
  }

  @Test
  void endByTheirCallsDeadline() throws Exception {
    try (StreamIterator<Quotes.Quote> each =
        Streams.iterate(at("mem://late").watchBriefly("any"))) {
      assertThatThrownBy(each::hasNext)
          .isInstanceOfSatisfying(
              RpcException.class,
              e -> assertThat(e.status()).isEqualTo(RpcStatus.DEADLINE_EXCEEDED))
          .hasMessageContaining("the deadline of its call passed");
    }
    await().until(exchange.cancelled::isDone);
  }

  @Test
  void carryLargeValuesBesideTheirMessages() throws Exception {
    try (StreamIterator<Quotes.Quote> each =
        Streams.iterate(at("tcp://127.0.0.1:0").watch("few", 3_000_000))) {
      for (int price = 1; price <= 3; price++) {
        assertThat(each.next().chart().byteSize()).isEqualTo(3_000_000);
      }
      assertThat(each.hasNext()).isFalse();
    }
  }

  @Test
  void needNoThreadWhileTheyWait() throws Exception {
    try (var one = Executors.newSingleThreadExecutor();
        VerbenaServer server =
            VerbenaServer.builder()
                .listen("mem://one-thread")
                .handlers(one)
                .serve(QuotesRpc.bind(exchange))
                .start()) {
      Quotes quotes = QuotesRpc.client(session(server.address().toString()));
      for (int i = 0; i < 5; i++) {
        Taker<Quotes.Quote> waiting = new Taker<>();
        quotes.watchBriefly("any").subscribe(waiting);
        waiting.request(1);
      }
      assertThatThrownBy(() -> quotes.watch("", 0)).isInstanceOf(Quotes.Unknown.class);
    }
  }

  @Test
  void failWithTheSessionAndCancelTheirPublisher() throws Exception {
    VerbenaServer server =
        VerbenaServer.builder().listen("mem://gone").serve(QuotesRpc.bind(exchange)).start();
    open.add(server);
    Session session = session("mem://gone");
    Taker<Quotes.Quote> taker = new Taker<>();
    QuotesRpc.client(session).watch("all", 0).subscribe(taker);
    taker.request(1);
    await().until(() -> taker.count() == 1);
    session.close();
    await().until(exchange.cancelled::isDone);
    taker.request(1);
    await().until(taker.end::isCompletedExceptionally);
  }

  @Test
  void passInterceptorsWithTheirCallAlone() throws Exception {
    Queue<String> passed = new ConcurrentLinkedQueue<>();
    VerbenaServer server =
        VerbenaServer.builder()
            .listen("mem://intercepted-streams")
            .serve(QuotesRpc.bind(exchange))
            .serverInterceptor(
                (call, next) -> {
                  passed.add("server " + call.method());
                  next.run();
                })
            .start();
    open.add(server);
    ClientInterceptor noting =
        new ClientInterceptor() {
          @Override
          public <R> CompletionStage<Answer<R>> intercept(ClientCall<R> call) {
            passed.add("client " + call.method());
            return call.proceed();
          }
        };
    Quotes quotes =
        QuotesRpc.client(
            session("mem://intercepted-streams"), CallOptions.DEFAULT.withInterceptors(noting));
    assertThat(quotes.total(Streams.of(List.of(1L, 2L)))).isEqualTo(3);
    try (StreamIterator<Quotes.Quote> each = Streams.iterate(quotes.watch("few", 0))) {
      assertThat(each.next().price()).isEqualTo(1);
    }
    assertThat(passed)
        .containsExactly(
            "client quotes.v1/total",
            "server quotes.v1/total",
            "client quotes.v1/watch",
            "server quotes.v1/watch");
  }

  @Test
  void waitForAPlaceInAFullWindow() throws Exception {
    VerbenaServer server =
        VerbenaServer.builder().listen("mem://full").serve(QuotesRpc.bind(exchange)).start();
    open.add(server);
    VerbenaClient client =
        VerbenaClient.builder().limits(SessionLimits.DEFAULT.withMaxCalls(64)).build();
    open.add(client);
    Session session = client.connect("mem://full");
    Quotes quotes = QuotesRpc.client(session);
    AtomicBoolean done = new AtomicBoolean();
    Thread busy =
        Thread.ofVirtual()
            .start(
                () -> {
                  QuotesRpc.Async async = QuotesRpc.async(session);
                  while (!done.get()) { // refused at once where there is no place
                    var _ = async.watch("", 0);
                    Thread.onSpinWait();
                  }
                });
    try (StreamIterator<Long> each =
        Streams.iterate(quotes.doubled(Streams.of(LongStream.range(0, 3_000))))) {
      long count = 0;
      while (each.hasNext()) {
        assertThat(each.next()).isEqualTo(2 * count++);
      }
      assertThat(count).isEqualTo(3_000);
    } finally {
      done.set(true);
      busy.join();
    }
  }

  /** A peer that sends 300 items whatever it is asked for. */
  private static ServiceBinding generous() {
    List<Schema.Member> parameters =
        List.of(new Schema.Member("id", "long", false), new Schema.Member("most", "int", false));
    Schema schema =
        new Schema(
            "verbena.streams",
            List.of(new Schema.Method(1, "next", false, parameters, "items", List.of())),
            List.of());
    MethodDescriptor<Void> next =
        new MethodDescriptor<>(
            "verbena.streams", 1, "next", false, false, false, 0, in -> null, null);
    ServiceDescriptor<Quotes> service =
        new ServiceDescriptor<>(
            Quotes.class,
            "verbena.streams",
            schema,
            List.of(next),
            caller -> {
              throw new UnsupportedOperationException();
            });
    return new ServiceBinding(
        service,
        (method, in, call) ->
            call.handle(
                reply -> {
                  WireOut out = reply.result();
                  for (int i = 0; i < 300; i++) {
                    out.writeBoolean(true);
                    out.writeLong(1);
                  }
                  out.writeBoolean(false);
                  out.writeBoolean(true);
                }));
  }

  @Test
  void ofAPeerThatSendsMoreThanItIsAskedForFailAlone() throws Exception {
    VerbenaServer server =
        VerbenaServer.builder().listen("mem://generous").serve(QuotesRpc.bind(exchange)).start();
    open.add(server);
    Session session = session("mem://generous");
    session.serve(generous());
    MethodDescriptor<Long> total =
        new MethodDescriptor<>(
            "quotes.v1", 2, "total", false, false, false, 0, in -> in.readLong(), null);
    ServiceCaller caller = session.caller(QuotesRpc.SERVICE, CallOptions.DEFAULT);
    assertThatThrownBy(() -> caller.call(total, out -> out.writeVarLong(7)))
        .isInstanceOfSatisfying(
            RpcException.class, e -> assertThat(e.execution()).isEqualTo(Execution.EXECUTED));
    MethodDescriptor<Void> watch =
        new MethodDescriptor<>(
            "quotes.v1",
            1,
            "watch",
            false,
            false,
            false,
            0,
            in -> null,
            (index, in) -> new Quotes.Unknown("the session goes on"));
    assertThatThrownBy(
            () ->
                caller.call(
                    watch,
                    out -> {
                      out.writeString("");
                      out.writeInt(0);
                    }))
        .isInstanceOf(Quotes.Unknown.class);
  }

  @Test
  void loseAndDoubleNothingOverLostConnections() throws Exception {
    VerbenaServer server =
        VerbenaServer.builder().listen("127.0.0.1:0").serve(QuotesRpc.bind(exchange)).start();
    open.add(server);
    try (CuttingProxy proxy = new CuttingProxy(server.address(), new Random(5))) {
      Quotes quotes = QuotesRpc.client(session(proxy.address()));
      List<Long> doubled = new ArrayList<>();
      try (StreamIterator<Long> each =
          Streams.iterate(quotes.doubled(Streams.of(LongStream.range(0, 20_000))))) {
        each.forEachRemaining(doubled::add);
      }
      assertThat(doubled)
          .containsExactlyElementsOf(LongStream.range(0, 20_000).map(n -> 2 * n).boxed().toList());
      assertThat(proxy.cuts()).isPositive();
    }
  }
}
