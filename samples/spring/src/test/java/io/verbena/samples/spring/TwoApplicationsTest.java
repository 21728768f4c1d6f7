package io.verbena.samples.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.verbena.core.VerbenaClient;
import io.verbena.samples.spring.shop.ShopApplication;
import io.verbena.spring.autoconfigure.VerbenaServerLifecycle;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.springframework.context.ConfigurableApplicationContext;

/** A shop with two stocks, each in a process of its own; one is asked to end, then the other. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Tag("long")
class TwoApplicationsTest {
  private static final int CUSTOMERS = 4;

  private final HttpClient browser = HttpClient.newHttpClient();
  private final VerbenaClient customer = VerbenaClient.builder().build();
  private StockProcess first;
  private StockProcess second;
  private ConfigurableApplicationContext application;
  private Shop shop;

  @BeforeAll
  void start() throws Exception {
    first = StockProcess.start();
    second = StockProcess.start();
    application =
        ShopApplication.builder()
            .run(
                "--server.port=0",
                "--verbena.server.listen=127.0.0.1:0",
                "--verbena.client.wait-for-ready=true",
                "--verbena.clients.stock.balancer=round-robin",
                "--verbena.clients.stock.target=" + first.address() + "," + second.address());
    shop =
        ShopRpc.client(
            customer.connect(
                application
                    .getBean(VerbenaServerLifecycle.class)
                    .server()
                    .orElseThrow()
                    .address()
                    .toString()));
  }

  @AfterAll
  void close() {
    customer.close();
    application.close();
    first.close();
    second.close();
    browser.close();
  }

  private HttpResponse<String> get(String path) throws Exception {
    String port = application.getEnvironment().getProperty("local.server.port");
    return browser.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  @Order(1)
  void aSaleGoesThroughBothApplications() throws Exception {
    assertThat(shop.buy("verbena", 2).count()).isEqualTo(2);
    assertThatThrownBy(() -> shop.buy("rose", 4)).isInstanceOf(OutOfStock.class);
    assertThat(get("/buy/verbena/1").body()).contains("\"article\":\"verbena\"");
  }

  @Test
  @Order(2)
  void actuatorTellsHealthAndMetrics() throws Exception {
    HttpResponse<String> health = get("/actuator/health");
    assertThat(health.statusCode()).isEqualTo(200);
    assertThat(health.body())
        .contains("\"verbenaServer\":{\"details\":{\"server\":\"listening\"")
        .contains("\"path\":\"tcp (");
    assertThat(get("/actuator/prometheus").body())
        .contains("rpc_client_call_duration_seconds_count")
        .contains("rpc_method=\"stock.v1/take\"")
        .contains("rpc_method=\"shop.v1/buy\"")
        .contains("verbena_sessions");
  }

  @Test
  @Order(3)
  void noSaleFailsWhileOneStockIsAskedToEnd() throws Exception {
    AtomicInteger sold = new AtomicInteger();
    Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    CountDownLatch over = new CountDownLatch(1);
    try (ExecutorService customers = Executors.newVirtualThreadPerTaskExecutor()) {
      try {
        for (int i = 0; i < CUSTOMERS; i++) {
          customers.execute(() -> buyUntil(over, sold, failures));
        }
        await().atMost(Duration.ofSeconds(30)).until(() -> sold.get() > 500);
        assertThat(first.end()).isEqualTo(128 + 15);
        int before = sold.get();
        await().atMost(Duration.ofSeconds(30)).until(() -> sold.get() > before + 500);
      } finally {
        over.countDown();
      }
    }
    assertThat(failures).isEmpty();
    assertThat(first.said()).contains("waits for its calls to end");
    assertThat(get("/actuator/health").statusCode()).isEqualTo(200);
    assertThat(get("/actuator/health").body()).contains("\"why\":");
  }

  private void buyUntil(CountDownLatch over, AtomicInteger sold, Queue<Throwable> failures) {
    while (over.getCount() > 0) {
      try {
        shop.buy("verbena", 1);
        sold.incrementAndGet();
      } catch (OutOfStock | RuntimeException e) {
        failures.add(e);
      }
    }
  }

  @Test
  @Order(4)
  void whereNoStockIsLeftTheShopsHealthIsDown() throws Exception {
    second.end();
    await().atMost(Duration.ofSeconds(30)).until(() -> get("/actuator/health").statusCode() == 503);
  }
}
