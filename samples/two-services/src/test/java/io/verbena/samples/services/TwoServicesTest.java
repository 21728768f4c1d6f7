package io.verbena.samples.services;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.verbena.api.CallContext;
import io.verbena.api.CallOptions;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A customer, the shop and the stock, over TCP. */
class TwoServicesTest {
  private static final String ANY_PORT = "127.0.0.1:0";

  private final VerbenaClient shopsClient = VerbenaClient.builder().build();
  private final VerbenaClient customer = VerbenaClient.builder().build();

  @AfterEach
  void close() {
    customer.close();
    shopsClient.close();
  }

  private Shop shopAt(VerbenaServer server, CallOptions options) {
    return ShopRpc.client(customer.connect(server.address().toString()), options);
  }

  @Test
  void aSaleGoesThroughBothServices() throws OutOfStock {
    try (VerbenaServer stock = StockService.start(ANY_PORT, new StockService());
        VerbenaServer server =
            ShopService.start(ANY_PORT, shopsClient, stock.address().toString())) {
      Shop shop = shopAt(server, CallOptions.DEFAULT);
      assertThat(shop.buy("verbena", 5)).isEqualTo(new Shop.Receipt("verbena", 5, 7));
      assertThatThrownBy(() -> shop.buy("rose", 4))
          .isInstanceOf(OutOfStock.class)
          .hasMessage("4 of 'rose' were asked for, 3 are there");
    }
  }

  @Test
  void theStockHasNoMoreTimeThanTheCustomerGave() throws Exception {
    CompletableFuture<Duration> left = new CompletableFuture<>();
    Stock watched =
        (article, count) -> {
          left.complete(CallContext.current().remaining());
          return 1;
        };
    try (VerbenaServer stock = StockService.start(ANY_PORT, watched);
        VerbenaServer server =
            ShopService.start(ANY_PORT, shopsClient, stock.address().toString())) {
      shopAt(server, CallOptions.timeout(Duration.ofSeconds(9))).buy("verbena", 1);
      assertThat(left.get())
          .isPositive()
          .isLessThanOrEqualTo(Duration.ofSeconds(9))
          .isGreaterThan(Duration.ofSeconds(2)); // the options' deadline, not the method's own
    }
  }

  @Test
  void whenTheCustomersTimeIsUpTheStocksHandlerIsCancelledToo() throws Exception {
    CountDownLatch cancelled = new CountDownLatch(1);
    Stock stuck =
        (article, count) -> {
          if (article.equals("rose")) {
            return 7;
          }
          CallContext.current().onCancel(cancelled::countDown);
          try {
            new CountDownLatch(1).await();
          } catch (InterruptedException e) {
            throw new IllegalStateException("nobody wants it any more", e);
          }
          return 0;
        };
    try (VerbenaServer stock = StockService.start(ANY_PORT, stuck);
        VerbenaServer server =
            ShopService.start(ANY_PORT, shopsClient, stock.address().toString())) {
      shopAt(server, CallOptions.DEFAULT).buy("rose", 1); // so that every connection is there
      Shop shop = shopAt(server, CallOptions.timeout(Duration.ofSeconds(1)));
      RpcException failure = catchThrowableOfType(RpcException.class, () -> shop.buy("verbena", 1));
      assertThat(failure.status()).isEqualTo(RpcStatus.DEADLINE_EXCEEDED);
      assertThat(cancelled.await(30, TimeUnit.SECONDS)).isTrue();
    }
  }
}
