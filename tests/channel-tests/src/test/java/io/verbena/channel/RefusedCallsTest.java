package io.verbena.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Servers of which one does not serve the shop: an old version, or another service's address. */
class RefusedCallsTest {
  private static final Ejection AFTER_TWO =
      Ejection.of(2, Backoff.of(Duration.ofSeconds(10), Duration.ofSeconds(40)));

  private final ChannelWorld world = new ChannelWorld("a", "b");

  RefusedCallsTest() {
    world.world.server(server -> server.listen("mem://other"));
    world.world.server(server -> server.listen("mem://another"));
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void goToThoseThatServeThem() {
    BalancedChannel channel = world.channel(c -> {}, "other", "a", "another", "b");
    assertThat(world.answers(channel, 8)).containsOnly("a", "b");
    assertThat(channel.stat().moves()).isPositive();
    assertThat(channel.stat().retries()).isZero();
  }

  @Test
  void failAsTheyWereRefusedWhereAllRefuse() {
    BalancedChannel channel = world.channel(c -> {}, "other", "another");
    assertThat(world.failure(ShopRpc.async(channel).once("?")))
        .isInstanceOfSatisfying(
            RpcException.class,
            e -> {
              assertThat(e.status()).isEqualTo(RpcStatus.UNIMPLEMENTED);
              assertThat(e.execution()).isEqualTo(Execution.NOT_EXECUTED);
            });
    assertThat(channel.stat().endpoints()).allMatch(one -> one.attempts() == 1);
  }

  @Test
  void haveTheirServerLeftOut() {
    BalancedChannel channel = world.channel(c -> c.ejection(AFTER_TWO), "other", "a");
    assertThat(world.answers(channel, 20)).containsOnly("a");
    ChannelStat.EndpointStat other = channel.stat().endpoints().getFirst();
    assertThat(other.ejected()).isTrue();
    assertThat(other.attempts()).isEqualTo(2);
  }

  @Test
  void goToOneThatIsLeftOutRatherThanFail() {
    BalancedChannel channel =
        world.channel(c -> c.ejection(AFTER_TWO).balancer(Balancer.pickFirst()), "a", "other");
    world.branch("a").refuses = RpcStatus.INTERNAL;
    assertThat(world.answers(channel, 2)).containsOnly("failed");
    assertThat(channel.stat().endpoints().getFirst().ejected()).isTrue();
    world.branch("a").refuses = null;
    assertThat(world.answers(channel, 3)).containsOnly("a");
  }

  @Test
  void anAnswerOfTheHandlersIsNoRefusal() {
    BalancedChannel channel = world.channel(c -> c.balancer(Balancer.pickFirst()), "a", "b");
    world.branch("a").refuses = RpcStatus.UNIMPLEMENTED;
    assertThat(world.answers(channel, 1)).containsExactly("failed");
    assertThat(channel.stat().moves()).isZero();
  }

  @Test
  void waitForOneThatIsBeingConnectedToForTheFirstTime() {
    BalancedChannel channel =
        BalancedChannel.builder(world.world.client(), "static:mem://other,mem://a")
            .time(world.time)
            .build();
    assertThat(world.answers(channel, 1)).containsExactly("a");
  }

  @Test
  void alsoOfCallersThatWait() {
    try (VerbenaServer other = VerbenaServer.builder().listen("mem://refused:0").start();
        VerbenaServer serving =
            VerbenaServer.builder()
                .listen("mem://refused:0")
                .serve(ShopRpc.bind(new Branch("s")))
                .start();
        VerbenaClient client = VerbenaClient.builder().build();
        BalancedChannel channel =
            BalancedChannel.builder(client, "static:" + other.address() + "," + serving.address())
                .build()) {
      Shop shop = ShopRpc.client(channel);
      for (int i = 0; i < 4; i++) {
        assertThat(shop.once("call " + i)).isEqualTo("s");
      }
    }
  }
}
