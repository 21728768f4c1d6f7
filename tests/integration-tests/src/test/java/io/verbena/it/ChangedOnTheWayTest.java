package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.RpcStatus;
import io.verbena.api.ServerInterceptor;
import io.verbena.api.StreamIterator;
import io.verbena.api.Streams;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Interceptors of a server that read and change arguments and results. */
class ChangedOnTheWayTest {
  /** The contract. */
  @RpcService(name = "ledger.v1")
  interface Ledger {
    @RpcMethod(id = 1)
    String enter(String account, long amount, @Nullable String note) throws Closed;

    @RpcMethod(id = 2, nonBlocking = true)
    long balance(String account);

    @RpcMethod(id = 3)
    void close();

    @RpcMethod(id = 4)
    String total(Flow.Publisher<Integer> amounts);

    @RpcMethod(id = 5)
    Flow.Publisher<String> entries(List<String> accounts);
  }

  /** The ledger is. */
  static final class Closed extends Exception {
    private static final long serialVersionUID = 1L;

    Closed(String message) {
      super(message);
    }
  }

  private static final class Book implements Ledger {
    @Override
    public String enter(String account, long amount, @Nullable String note) throws Closed {
      if (amount == 0) {
        throw new Closed(account);
      }
      return account + " " + amount + " " + note;
    }

    @Override
    public long balance(String account) {
      return account.length();
    }

    @Override
    public void close() {}

    @Override
    public String total(Flow.Publisher<Integer> amounts) {
      return taken(amounts).toString();
    }

    @Override
    public Flow.Publisher<String> entries(List<String> accounts) {
      return Streams.of(accounts);
    }
  }

  private final List<@Nullable Object> seen = new ArrayList<>();
  private @Nullable VerbenaServer server;
  private final VerbenaClient client = VerbenaClient.builder().build();

  @AfterEach
  void close() {
    client.close();
    if (server != null) {
      server.close();
    }
  }

  private Ledger behind(ServerInterceptor... interceptors) {
    VerbenaServer.Builder builder =
        VerbenaServer.builder()
            .listen("mem://ledger")
            .serve(ChangedOnTheWayTest_LedgerRpc.bind(new Book()));
    List.of(interceptors).forEach(builder::serverInterceptor);
    server = builder.start();
    return ChangedOnTheWayTest_LedgerRpc.client(client.connect("mem://ledger"));
  }

  private static ServerInterceptor changing(UnaryOperator<@Nullable Object> change) {
    return (call, next) -> {
      next.onResult(change);
      next.run();
    };
  }

  @Test
  void argumentsAreThoseThatArrived() throws Closed {
    Ledger ledger =
        behind(
            (call, next) -> {
              seen.addAll(next.arguments());
              next.run();
            });
    assertThat(ledger.enter("cash", 7, null)).isEqualTo("cash 7 null");
    assertThat(ledger.balance("bank")).isEqualTo(4);
    ledger.close();
    assertThat(seen).containsExactly("cash", 7L, null, "bank");
  }

  @Test
  void anArgumentMayDecideWhoMayCall() throws Closed {
    Ledger ledger =
        behind(
            (call, next) -> {
              if (next.arguments().contains("secret")) {
                throw new RpcException(RpcStatus.PERMISSION_DENIED, "not this account");
              }
              next.run();
            });
    assertThat(ledger.enter("open", 1, "")).isEqualTo("open 1 ");
    assertThatThrownBy(() -> ledger.enter("secret", 1, ""))
        .isInstanceOfSatisfying(
            RpcException.class,
            failure -> assertThat(failure.status()).isEqualTo(RpcStatus.PERMISSION_DENIED));
  }

  @Test
  void changedArgumentsReachWhatIsBehind() throws Closed {
    Ledger ledger =
        behind(
            (call, next) -> {
              next.arguments(Arrays.asList("first", 1L, null));
              next.run();
            },
            (call, next) -> {
              seen.addAll(next.arguments());
              next.arguments(List.of("second", 2L, "note"));
              next.run();
            });
    assertThat(ledger.enter("", 0, "")).isEqualTo("second 2 note");
    assertThat(seen).containsExactly("first", 1L, null);
  }

  @Test
  void resultsAreChangedFromTheHandlerOutwards() throws Closed {
    Ledger ledger =
        behind(
            changing(result -> result + " outer"),
            (call, next) -> {
              next.onResult(result -> result + " inner");
              next.onResult(result -> result + " and again");
              next.run();
            });
    assertThat(ledger.enter("a", 1, "")).isEqualTo("a 1  inner and again outer");
    assertThatThrownBy(() -> ledger.enter("b", 0, "")).isInstanceOf(Closed.class).hasMessage("b");
  }

  @Test
  void whatIsAnsweredInPlaceIsChangedByThoseBefore() throws Closed {
    Ledger ledger =
        behind(
            changing(result -> result + " outer"),
            (call, next) -> {
              next.onResult(result -> result + " never");
              next.answer("in place");
            });
    assertThat(ledger.enter("", 1, "")).isEqualTo("in place outer");
  }

  private static ServerInterceptor caching(Map<List<Object>, Object> cache) {
    return (call, next) -> {
      List<Object> key = List.of(call.method().name(), next.arguments());
      Object known = cache.get(key);
      if (known != null) {
        next.answer(known);
        return;
      }
      AtomicReference<Object> result = new AtomicReference<>();
      next.onResult(
          returned -> {
            result.set(returned);
            return returned;
          });
      if (next.run() == null && result.get() != null) {
        cache.put(key, result.get());
      }
    };
  }

  @Test
  void aCacheKeepsWhatHasEndedWell() throws Closed {
    Map<List<Object>, Object> cache = new ConcurrentHashMap<>();
    AtomicBoolean refuses = new AtomicBoolean(true);
    Ledger ledger =
        behind(
            caching(cache),
            (call, next) -> {
              next.run();
              seen.add(call.method().name());
              if (refuses.getAndSet(false)) {
                throw new RpcException(RpcStatus.PERMISSION_DENIED, "too late");
              }
            });
    assertThatThrownBy(() -> ledger.enter("a", 1, "")).hasMessageContaining("too late");
    assertThat(cache).isEmpty();
    assertThatThrownBy(() -> ledger.enter("b", 0, "")).isInstanceOf(Closed.class);
    assertThat(cache).isEmpty();
    assertThat(ledger.enter("a", 1, "")).isEqualTo("a 1 ");
    assertThat(ledger.enter("a", 1, "")).isEqualTo("a 1 ");
    assertThat(ledger.enter("a", 2, "")).isEqualTo("a 2 ");
    assertThat(seen).hasSize(4);
  }

  @Test
  void ofAVoidMethodTheResultIsNull() {
    Ledger ledger =
        behind(
            (call, next) -> {
              next.onResult(
                  result -> {
                    seen.add(result);
                    return result;
                  });
              next.run();
            });
    ledger.close();
    assertThat(seen).containsExactly((Object) null);
  }

  @Test
  void streamsAreArgumentsAndResults() {
    Ledger ledger =
        behind(
            (call, next) -> {
              switch (call.method().name()) {
                case "total" -> next.arguments(List.of(Streams.of(List.of(4, 5))));
                default -> next.onResult(result -> Streams.of(List.of("another")));
              }
              next.run();
            });
    assertThat(ledger.total(Streams.of(List.of(1, 2)))).isEqualTo("[4, 5]");
    assertThat(taken(ledger.entries(List.of("a", "b")))).containsExactly("another");
  }

  @Test
  void anArgumentOfAnotherTypeAnswersWithInternal() {
    Ledger ledger =
        behind(
            (call, next) -> {
              next.arguments(List.of(1));
              next.run();
            });
    assertThatThrownBy(() -> ledger.balance("a"))
        .satisfies(ChangedOnTheWayTest::isInternal)
        .hasMessageContaining("argument of the wrong type from an interceptor")
        .satisfies(failure -> hasExecution(failure, Execution.NOT_EXECUTED));
  }

  @Test
  void tooFewArgumentsAreRefused() {
    Ledger ledger = behind((call, next) -> next.arguments(List.of()));
    assertThatThrownBy(() -> ledger.balance("a"))
        .satisfies(ChangedOnTheWayTest::isInternal)
        .hasMessageContaining(
            "ledger.v1/balance takes 1 arguments, but an interceptor passed on 0");
  }

  @Test
  void behindTheHandlerItIsTooLate() {
    Ledger ledger =
        behind(
            (call, next) -> {
              next.run();
              next.onResult(result -> 0L);
            });
    assertThatThrownBy(() -> ledger.balance("a"))
        .satisfies(ChangedOnTheWayTest::isInternal)
        .hasMessageContaining("onResult(…) must be called before run()")
        .satisfies(failure -> hasExecution(failure, Execution.EXECUTED));
  }

  @Test
  void noArgumentIsNullThatMayNotBe() {
    Ledger ledger =
        behind(
            (call, next) -> {
              next.arguments(Arrays.asList("cash", null, "note"));
              next.run();
            });
    assertThatThrownBy(() -> ledger.enter("cash", 1, null))
        .satisfies(ChangedOnTheWayTest::isInternal)
        .hasMessageContaining("argument 'amount' is null")
        .satisfies(failure -> hasExecution(failure, Execution.NOT_EXECUTED));
  }

  @Test
  void aResultOfAnotherTypeIsAnInterceptorsAndTheMethodHasRun() {
    Ledger ledger = behind(changing(result -> "text"));
    assertThatThrownBy(() -> ledger.balance("a"))
        .satisfies(ChangedOnTheWayTest::isInternal)
        .hasMessageContaining("from an interceptor's onResult")
        .satisfies(failure -> hasExecution(failure, Execution.EXECUTED));
    assertThatThrownBy(ledger::close).satisfies(ChangedOnTheWayTest::isInternal);
  }

  @Test
  void anAnswerThatNoMessageTakesWasNotExecuted() {
    Ledger ledger = behind((call, next) -> next.answer("\ud800"));
    assertThatThrownBy(() -> ledger.enter("a", 1, null))
        .satisfies(failure -> hasExecution(failure, Execution.NOT_EXECUTED));
  }

  @Test
  @Timeout(60)
  void anotherThreadHasNoWayToTheHandler() throws Exception {
    Deque<ServerInterceptor.Next> kept = new ConcurrentLinkedDeque<>();
    List<Throwable> met = new CopyOnWriteArrayList<>();
    Ledger ledger =
        behind(
            (call, next) -> {
              kept.add(next);
              Thread other =
                  Thread.ofVirtual().start(() -> met.add(catchThrowable(() -> next.answer("a"))));
              if (!call.method().name().equals("enter")) {
                next.run();
              }
              other.join();
            });
    assertThatThrownBy(() -> ledger.enter("a", 1, null))
        .satisfies(ChangedOnTheWayTest::isInternal)
        .satisfies(failure -> hasExecution(failure, Execution.NOT_EXECUTED));
    assertThat(ledger.balance("bank")).isEqualTo(4);
    for (ServerInterceptor.Next next : kept) {
      met.add(catchThrowable(next::run));
      met.add(catchThrowable(() -> next.onResult(result -> result)));
    }
    assertThat(met)
        .hasSize(6)
        .allSatisfy(
            failure ->
                assertThat(failure)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("only on its own thread, and until it returns"));
  }

  private static void hasExecution(Throwable failure, Execution execution) {
    assertThat(((RpcException) failure).execution()).isEqualTo(execution);
  }

  private static <T> List<T> taken(Flow.Publisher<T> stream) {
    List<T> taken = new ArrayList<>();
    try (StreamIterator<T> items = Streams.iterate(stream)) {
      items.forEachRemaining(taken::add);
    }
    return taken;
  }

  private static void isInternal(Throwable failure) {
    assertThat(failure)
        .isInstanceOfSatisfying(
            RpcException.class, rpc -> assertThat(rpc.status()).isEqualTo(RpcStatus.INTERNAL));
  }
}
