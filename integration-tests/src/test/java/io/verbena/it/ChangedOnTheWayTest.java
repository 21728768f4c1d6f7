package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import java.util.List;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Interceptors of a server that read and change arguments and results. */
class ChangedOnTheWayTest {
  /** What is called. */
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
            (call, next) -> {
              next.onResult(result -> result + " outer");
              next.run();
            },
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
            (call, next) -> {
              next.onResult(result -> result + " outer");
              next.run();
            },
            (call, next) -> {
              next.onResult(result -> result + " never");
              next.answer("in place");
            });
    assertThat(ledger.enter("", 1, "")).isEqualTo("in place outer");
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
    assertThatThrownBy(() -> ledger.balance("a")).satisfies(ChangedOnTheWayTest::isInternal);
  }

  @Test
  void tooFewArgumentsAreRefused() {
    Ledger ledger = behind((call, next) -> next.arguments(List.of()));
    assertThatThrownBy(() -> ledger.balance("a"))
        .satisfies(ChangedOnTheWayTest::isInternal)
        .hasMessageContaining("ledger.v1/balance has 1 arguments, not 0");
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
        .hasMessageContaining("before");
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
