package io.verbena.observe.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.channel.BalancedChannel;
import io.verbena.channel.Balancer;
import io.verbena.channel.Retries;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A registry with a channel to two servers. */
class ChannelMetricsTest {
  private final MeterRegistry registry = new SimpleMeterRegistry();
  private final AtomicInteger failures = new AtomicInteger();
  private volatile RpcStatus refusal = RpcStatus.RESOURCE_EXHAUSTED;
  private final VerbenaServer first = server("mem://first");
  private final VerbenaServer second = server("mem://second");
  private final VerbenaClient client = VerbenaClient.builder().build();
  private final BalancedChannel channel =
      BalancedChannel.builder(client, "static:mem://first,mem://second,mem://nobody")
          .balancer(Balancer.pickFirst())
          .retries(Retries.DEFAULT)
          .build();
  private final Shop shop = ShopRpc.client(channel);

  /** Refuses as many calls as it is told to. */
  private VerbenaServer server(String address) {
    return VerbenaServer.builder()
        .listen(address)
        .serve(ShopRpc.bind(new PlainShop()))
        .serverInterceptor(
            (call, next) -> {
              if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                throw new RpcException(refusal, "the shop is full");
              }
              next.run();
            })
        .start();
  }

  @BeforeEach
  void bind() {
    new ChannelMetrics(channel, "shop").bindTo(registry);
  }

  @AfterEach
  void close() {
    channel.close();
    client.close();
    first.close();
    second.close();
  }

  private double count(String name) {
    return registry.get(name).tag("verbena.channel", "shop").functionCounter().count();
  }

  private double endpoints(String standing) {
    return registry
        .get("verbena.channel.endpoints")
        .tag("verbena.endpoint", standing)
        .gauge()
        .value();
  }

  @Test
  void countsCallsAndWhatWasMadeAgain() {
    shop.price("bread");
    failures.set(1);
    shop.price("bread");
    assertThat(count("verbena.channel.calls")).isEqualTo(2);
    assertThat(count("verbena.channel.retries")).isOne();
    assertThat(count("verbena.channel.moves")).isZero();
    assertThat(count("verbena.channel.hedges")).isZero();
    assertThat(count("verbena.channel.refused")).isZero();
    assertThat(count("verbena.channel.unserved")).isZero();
  }

  @Test
  void countsWhatMovedToAnotherServer() {
    await().untilAsserted(() -> assertThat(endpoints("ready")).isEqualTo(2));
    refusal = RpcStatus.UNAVAILABLE;
    failures.set(1);
    shop.price("bread");
    assertThat(count("verbena.channel.moves")).isOne();
    assertThat(count("verbena.channel.retries")).isZero();
  }

  @Test
  void tellsServersByWhetherCallsGoThere() {
    await().untilAsserted(() -> assertThat(endpoints("ready")).isEqualTo(2));
    assertThat(endpoints("out")).isOne();
    assertThat(endpoints("ejected")).isZero();
    first.close();
    await().untilAsserted(() -> assertThat(endpoints("ready")).isOne());
  }

  private BalancedChannel another() {
    return BalancedChannel.builder(client, "static:mem://second").build();
  }

  @Test
  void aClosedChannelHasNoMetersAndTheNextOfItsNameItsOwn() {
    shop.price("bread");
    channel.close();
    assertThat(registry.getMeters()).isEmpty();
    try (BalancedChannel next = another()) {
      new ChannelMetrics(next, "shop").bindTo(registry);
      assertThat(count("verbena.channel.calls")).isZero();
      ShopRpc.client(next).price("bread");
      assertThat(count("verbena.channel.calls")).isOne();
      assertThat(endpoints("ready")).isOne();
    }
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void ofTwoChannelsOfANameTheNewerIsToldAndStaysWhenTheOlderCloses() {
    try (BalancedChannel newer = another()) {
      new ChannelMetrics(newer, "shop").bindTo(registry);
      ShopRpc.client(newer).price("bread");
      assertThat(count("verbena.channel.calls")).isOne();
      channel.close();
      assertThat(count("verbena.channel.calls")).isOne();
    }
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void metricsThatAreClosedLeaveTheChannelAsItIs() {
    ChannelMetrics metrics = new ChannelMetrics(channel, "shop");
    metrics.bindTo(registry);
    metrics.close();
    assertThat(registry.getMeters()).isEmpty();
    assertThat(shop.price("bread")).isPositive();
  }
}
