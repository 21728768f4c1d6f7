package io.verbena.observe.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.SessionPath;
import io.verbena.core.ConcurrencyLimit;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A registry after calls. */
class CallMetricsTest {
  private final MockClock clock = new MockClock();
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
  private final SessionMetrics sessions = new SessionMetrics(registry);
  private final CountDownLatch entered = new CountDownLatch(1);
  private final CountDownLatch leave = new CountDownLatch(1);

  private volatile boolean refuses;

  private final VerbenaServer server =
      VerbenaServer.builder()
          .listen("mem://shop")
          .serve(ShopRpc.bind(new SlowShop()))
          .serverInterceptor(new ServerMetrics(registry))
          .serverInterceptor(
              (call, next) -> {
                if (call.method().name().equals("price") && refuses) {
                  throw new RpcException(RpcStatus.PERMISSION_DENIED, "closed");
                }
                next.run();
              })
          .drainTime(Duration.ZERO)
          .start();
  private final VerbenaClient client =
      VerbenaClient.builder()
          .clientInterceptor(new ClientMetrics(registry))
          .sessionListener(sessions)
          .build();
  private final Session session = client.connect("mem://shop");
  private final Shop shop = ShopRpc.client(session);

  /** Its sales take 3 ms of the test's clock; cake is sold when the test says so. */
  private final class SlowShop extends PlainShop {
    @Override
    public void buy(String article) throws SoldOut {
      clock.add(3, TimeUnit.MILLISECONDS);
      if (article.equals("cake")) {
        entered.countDown();
        try {
          leave.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      } else {
        super.buy(article);
      }
    }
  }

  @AfterEach
  void close() {
    leave.countDown();
    client.close();
    server.close();
  }

  private Timer timer(String name, String method, String status, String error) {
    return registry
        .get(name)
        .tag("rpc.system.name", "verbena")
        .tag("rpc.method", "shop.v1/" + method)
        .tag("rpc.status_code", status)
        .tag("error.type", error)
        .tag("verbena.path", "mem")
        .timer();
  }

  private Timer atBoth(String method, String status, String error, String execution) {
    assertThat(timer("rpc.server.call.duration", method, status, error).count()).isOne();
    Timer client = timer("rpc.client.call.duration", method, status, error);
    assertThat(client.count()).isOne();
    assertThat(client.getId().getTag("verbena.execution")).isEqualTo(execution);
    return client;
  }

  @Test
  void aCallIsMeasuredByHowItEnded() throws Exception {
    shop.buy("bread");
    assertThatThrownBy(() -> shop.buy("fish")).isInstanceOf(Shop.SoldOut.class);
    assertThatThrownBy(() -> shop.steal("bread")).isInstanceOf(RpcException.class);
    refuses = true;
    assertThatThrownBy(() -> shop.price("bread")).isInstanceOf(RpcException.class);

    Timer sale = atBoth("buy", "OK", "none", "EXECUTED");
    assertThat(sale.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(3);
    atBoth("buy", "DECLARED", Shop.SoldOut.class.getName(), "EXECUTED");
    atBoth("steal", "INTERNAL", "INTERNAL", "EXECUTED");
    atBoth("price", "PERMISSION_DENIED", "PERMISSION_DENIED", "NOT_EXECUTED");
  }

  @Test
  void aCallIsActiveUntilItEnds() throws Exception {
    CompletableFuture<Void> sale =
        ShopRpc.async(session).buy("cake").thenAccept(sold -> {}).toCompletableFuture();
    entered.await();
    assertThat(active("client")).isOne();
    assertThat(active("server")).isOne();
    leave.countDown();
    sale.join();
    assertThat(active("client")).isZero();
    assertThat(active("server")).isZero();
  }

  @Test
  void callsOfTwoClientsAreCountedTogether() {
    try (VerbenaClient other =
            VerbenaClient.builder().clientInterceptor(new ClientMetrics(registry)).build();
        Session second = other.connect("mem://shop")) {
      CompletableFuture<Void> one = ShopRpc.async(session).buy("cake").toCompletableFuture();
      CompletableFuture<Void> two = ShopRpc.async(second).buy("cake").toCompletableFuture();
      assertThat(active("client")).isEqualTo(2);
      leave.countDown();
      CompletableFuture.allOf(one, two).join();
      assertThat(active("client")).isZero();
    }
  }

  private double active(String end) {
    return registry
        .get("verbena." + end + ".calls.active")
        .tag("rpc.method", "shop.v1/buy")
        .gauge()
        .value();
  }

  @Test
  void aCallThatIsGivenUpIsCancelled() throws Exception {
    CompletableFuture<Void> sale = ShopRpc.async(session).buy("cake").toCompletableFuture();
    entered.await();
    sale.cancel(true);
    await()
        .untilAsserted(
            () ->
                assertThat(
                        timer("rpc.client.call.duration", "buy", "CANCELLED", "CANCELLED").count())
                    .isOne());
    assertThat(active("client")).isZero();
  }

  @Test
  void sessionsAndMemoryAreToldWithinASecond() {
    new EngineMetrics().bindTo(registry);
    assertThat(gauge("verbena.sessions", "verbena.state", "open")).isOne();
    assertThat(gauge("verbena.session.paths", "verbena.path", "mem")).isOne();
    assertThat(registry.find("verbena.session.paths").gauges())
        .extracting(gauge -> gauge.getId().getTag("verbena.path"))
        .contains("mem", "tcp", "none") // of links on the class path
        .doesNotContain("rdma");
    assertThat(gauge("verbena.slots.max", "verbena.engine", "client")).isPositive();
    session.close();
    await()
        .until(
            () ->
                registry
                        .get("verbena.session.events")
                        .tag("verbena.event", "ended")
                        .counter()
                        .count()
                    == 1);
    assertThat(gauge("verbena.sessions", "verbena.state", "open")).isOne();
    clock.add(1, TimeUnit.SECONDS);
    assertThat(gauge("verbena.sessions", "verbena.state", "open")).isZero();
  }

  @Test
  void callsThatAServerShedsAreCountedByPriority() throws Exception {
    new EngineMetrics().bindTo(registry);
    try (VerbenaServer limited =
            VerbenaServer.builder()
                .listen("mem://limited")
                .serve(ShopRpc.bind(new PlainShop()))
                .concurrencyLimit(ConcurrencyLimit.DEFAULT.withBounds(7, 7))
                .start();
        Session calling = client.connect(limited.address().toString())) {
      ShopRpc.client(calling).buy("bread");
      assertThat(registry.get("verbena.limit.calls").gauge().value()).isEqualTo(7);
      assertThat(taken("normal")).isOne();
      assertThat(taken("critical")).isZero();
      assertThat(
              registry
                  .get("verbena.limit.shed")
                  .tag("verbena.priority", "background")
                  .functionCounter()
                  .count())
          .isZero();
    }
  }

  @Test
  void messagesThatAreCompressedAreCounted() throws Exception {
    new EngineMetrics().bindTo(registry);
    try (VerbenaServer compressing =
            VerbenaServer.builder()
                .listen("mem://compressing")
                .serve(ShopRpc.bind(new PlainShop()))
                .compressFromBytes(256)
                .start();
        VerbenaClient caller = VerbenaClient.builder().compressFromBytes(256).build();
        Session calling = caller.connect(compressing.address().toString())) {
      assertThat(ShopRpc.client(calling).price("bread ".repeat(200))).isEqualTo(1_200);
      assertThat(compressed("messages")).isOne();
      assertThat(compressed("plain.bytes")).isGreaterThan(1_200);
      assertThat(compressed("bytes")).isPositive().isLessThan(200);
    }
  }

  private double compressed(String what) {
    return registry
        .get("verbena.compressed." + what)
        .tag("verbena.engine", "client")
        .functionCounter()
        .count();
  }

  private double taken(String priority) {
    return registry
        .get("verbena.limit.taken")
        .tag("verbena.priority", priority)
        .functionCounter()
        .count();
  }

  private double gauge(String name, String tag, String value) {
    return registry.get(name).tag("verbena.engine", "client").tag(tag, value).gauge().value();
  }

  @Test
  void eventsOfSessionsAreCounted() {
    await()
        .until(
            () ->
                registry
                        .get("verbena.session.events")
                        .tag("verbena.event", "opened")
                        .counter()
                        .count()
                    == 1);
    sessions.pathChanged(session, new SessionPath("rdma", "rxe0"));
    assertThat(registry.get("verbena.path.changes").tag("verbena.path", "rdma").counter().count())
        .isOne();
  }
}
