package io.verbena.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcStatus;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Servers that are there, and get no calls. */
class LeftOutTest {
  private static final Ejection AFTER_TWO =
      Ejection.of(2, Backoff.of(Duration.ofSeconds(10), Duration.ofSeconds(40)));

  private final ChannelWorld world = new ChannelWorld("a", "b");

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void whoFailsTwiceInARowIsLeftOutForAWhile() {
    BalancedChannel channel = world.channel(c -> c.ejection(AFTER_TWO), "a", "b");
    world.branch("a").refuses = RpcStatus.INTERNAL;
    assertThat(world.answers(channel, 6)).containsExactly("failed", "b", "failed", "b", "b", "b");
    assertThat(channel.stat().endpoints().getFirst().ejected()).isTrue();
    world.branch("a").refuses = null;
    world.pass(Duration.ofSeconds(10));
    assertThat(world.answers(channel, 4)).contains("a", "b");
  }

  @Test
  void whoHasNoRoomIsLeftOutWhenItsCallsWereMadeElsewhere() {
    world.start(
        "full",
        server ->
            server.handlers(
                task -> {
                  throw new RejectedExecutionException("no room");
                }));
    Retries retries =
        Retries.DEFAULT
            .withAttempts(5) // of a call at most
            .withDelay(Backoff.of(Duration.ofMillis(20), Duration.ofSeconds(2))) // first, longest
            .withTokens(50, 0.05); // at most and at the start; for each call that ends well
    Ejection ejection =
        Ejection.of(
            2, // failed calls in a row
            Backoff.of(Duration.ofSeconds(10), Duration.ofMinutes(1))); // how long it is left out
    BalancedChannel channel =
        world.channel(c -> c.retries(retries).ejection(ejection), "full", "b");
    assertThat(world.answers(channel, 6)).containsOnly("b");
    assertThat(channel.stat().retries()).isEqualTo(2);
    assertThat(channel.stat().endpoints().getFirst().ejected()).isTrue();
  }

  @Test
  void neverAll() {
    BalancedChannel channel = world.channel(c -> c.ejection(AFTER_TWO), "a", "b");
    world.branch("a").refuses = RpcStatus.INTERNAL;
    world.branch("b").refuses = RpcStatus.INTERNAL;
    world.answers(channel, 6);
    world.branch("a").refuses = null;
    world.branch("b").refuses = null;
    assertThat(world.answers(channel, 2)).containsExactlyInAnyOrder("a", "b");
  }

  @Test
  void whoSaysThatItIsNotServing() {
    HealthBoard board = new HealthBoard();
    world.start("sick", server -> server.serve(HealthRpc.bind(board)));
    BalancedChannel channel = world.channel(c -> c.health("", Duration.ofSeconds(1)), "sick", "b");
    assertThat(world.answers(channel, 4)).contains("sick", "b");
    board.set("", Health.Status.NOT_SERVING);
    world.pass(Duration.ofMillis(1_100));
    assertThat(world.answers(channel, 4)).containsOnly("b");
    assertThat(channel.stat().endpoints().getFirst().why()).contains("NOT_SERVING");
    board.set("", Health.Status.SERVING);
    world.pass(Duration.ofMillis(1_100));
    assertThat(world.answers(channel, 4)).contains("sick", "b");
  }

  @Test
  void whoseBoardWasNeverToldOfTheServiceAndSaysThat() {
    world.start("mute", server -> server.serve(HealthRpc.bind(new HealthBoard())));
    BalancedChannel channel =
        world.channel(c -> c.health("stock.v1", Duration.ofSeconds(1)), "mute");
    assertThat(channel.stat().endpoints().getFirst().why())
        .isEqualTo(
            "its stock.v1 says that it is UNKNOWN: its HealthBoard has no status for 'stock.v1'");
  }

  @Test
  void whoIsInAnotherZone() {
    BalancedChannel channel =
        world.channel(
            BalancedChannel.builder(
                world.world.client(),
                new StaticResolver(
                    List.of(
                        Endpoint.of("mem://a").withZone("far"),
                        Endpoint.of("mem://b").withZone("near")))),
            c -> c.zone("near"));
    assertThat(world.answers(channel, 3)).containsOnly("b");
    world.server("b").drain();
    world.settle();
    assertThat(world.answers(channel, 3)).containsOnly("a");
  }

  /** Tells what the test says. */
  private static final class Told implements Resolver {
    private @Nullable Listener listener;

    void tell(String... addresses) {
      if (listener != null) {
        listener.endpoints(List.of(addresses).stream().map(Endpoint::of).toList());
      }
    }

    @Override
    public void start(Listener listener) {
      this.listener = listener;
    }

    @Override
    public void close() {}
  }

  @Test
  void whoseAddressIsNoneWhichHurtsNobodyElse() {
    Told resolver = new Told();
    BalancedChannel channel =
        world.channel(BalancedChannel.builder(world.world.client(), resolver), c -> {});
    resolver.tell("10.0.0.7:99999");
    assertThat(world.failure(ShopRpc.async(channel).who("?")))
        .hasMessageContaining("none of 1 servers takes calls: the resolver found a malformed")
        .hasMessageContaining("'10.0.0.7:99999' is not an address");
    resolver.tell("10.0.0.7:99999", "mem://a", "mem://b");
    world.settle();
    assertThat(world.answers(channel, 4)).containsOnly("a", "b");
    assertThat(channel.stat().endpoints(ChannelStat.Standing.OUT)).isOne();
    resolver.tell("mem://a", "mem://b");
    assertThat(channel.stat().endpoints()).hasSize(2);
  }

  @Test
  void whoIsNotToldAnyMore() {
    Told resolver = new Told();
    BalancedChannel channel =
        world.channel(BalancedChannel.builder(world.world.client(), resolver), c -> {});
    resolver.tell("mem://a");
    assertThat(world.answers(channel, 2)).containsOnly("a");
    resolver.tell("mem://a", "mem://b");
    world.settle();
    assertThat(world.answers(channel, 4)).contains("a", "b");
    resolver.tell("mem://b");
    assertThat(world.answers(channel, 4)).containsOnly("b");
    assertThat(channel.stat().endpoints()).hasSize(1);
  }
}
