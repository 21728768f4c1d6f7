package io.verbena.samples.services;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.verbena.api.CallContext;
import io.verbena.api.CallOptions;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A customer and the three services, over TCP in one process: the customer's deadline is all's. */
class DeadlineTest {
  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  @AfterEach
  void close() throws Exception {
    while (!open.isEmpty()) {
      open.pop().close();
    }
  }

  private String serve(ServiceBinding service) {
    VerbenaServer server = VerbenaServer.builder().listen("127.0.0.1:0").serve(service).start();
    open.push(server);
    return server.address().toString();
  }

  private VerbenaClient client() {
    VerbenaClient client = VerbenaClient.builder().build();
    open.push(client);
    return client;
  }

  /** Returns where a shop is, whose stock asks this warehouse. */
  private String shopBefore(Warehouse warehouse) {
    String last = serve(WarehouseRpc.bind(warehouse));
    Warehouse behind = WarehouseRpc.client(client().session(last));
    String middle = serve(StockRpc.bind(new StockService(behind)));
    return serve(ShopRpc.bind(new ShopService(StockRpc.client(client().session(middle)))));
  }

  private Shop shop(String address, CallOptions options) {
    return ShopRpc.client(client().connect(address), options);
  }

  @Test
  void aSaleGoesThroughAllServices() throws OutOfStock {
    Shop shop = shop(shopBefore(new WarehouseService(Map.of(7, 12, 12, 3))), CallOptions.DEFAULT);
    assertThat(shop.buy("verbena", 5)).isEqualTo(new Shop.Receipt("verbena", 5, 7));
    assertThatThrownBy(() -> shop.buy("rose", 4))
        .isInstanceOf(OutOfStock.class)
        .hasMessage("4 of bin 12 were asked for, 3 are there");
    assertThatThrownBy(() -> shop.buy("thistle", 1))
        .isInstanceOf(OutOfStock.class)
        .hasMessage("there is no 'thistle' here");
  }

  @Test
  void theLastServiceHasNoMoreTimeThanTheCustomerGave() throws Exception {
    CompletableFuture<Duration> left = new CompletableFuture<>();
    String shop =
        shopBefore(
            (bin, count) -> {
              left.complete(CallContext.current().remaining());
              return 1;
            });
    shop(shop, CallOptions.timeout(Duration.ofSeconds(9))).buy("verbena", 1);
    assertThat(left.get())
        .isPositive()
        .isLessThanOrEqualTo(Duration.ofSeconds(9))
        .isGreaterThan(Duration.ofSeconds(2)); // the options' deadline, not the method's own
  }

  @Test
  void whenTheCustomersTimeIsUpTheLastServicesHandlerIsCancelledToo() throws Exception {
    AtomicBoolean came = new AtomicBoolean();
    CountDownLatch cancelled = new CountDownLatch(1);
    String shop =
        shopBefore(
            (bin, count) -> {
              if (count == 1) {
                return 7;
              }
              CallContext.current().onCancel(cancelled::countDown);
              came.set(true);
              try {
                new CountDownLatch(1).await();
              } catch (InterruptedException e) {
                throw new IllegalStateException("nobody wants it any more", e);
              }
              return 0;
            });
    shop(shop, CallOptions.DEFAULT).buy("verbena", 1); // so that every connection is there
    for (int seconds = 1; !came.get(); seconds *= 2) { // a busy machine may need more of them
      Shop hurried = shop(shop, CallOptions.timeout(Duration.ofSeconds(seconds)));
      RpcException failure =
          catchThrowableOfType(RpcException.class, () -> hurried.buy("verbena", 2));
      assertThat(failure.status()).isEqualTo(RpcStatus.DEADLINE_EXCEEDED);
    }
    assertThat(cancelled.await(30, TimeUnit.SECONDS)).isTrue();
  }
}
