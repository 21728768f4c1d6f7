package io.verbena.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.channel.ChannelStat.EndpointStat;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How calls are spread over servers, counted by attempts, where some servers are bad. */
class TurnsTest {
  private final ChannelWorld world = new ChannelWorld("b", "c");

  @AfterEach
  void close() {
    world.close();
  }

  /** Starts a server that takes no call: the caller may go elsewhere. */
  private void startShedding(String name) {
    world.start(
        name,
        server ->
            server.serverInterceptor(
                (call, next) -> {
                  throw new RpcException(RpcStatus.UNAVAILABLE, "too much to do");
                }));
  }

  private static List<Long> attempts(BalancedChannel channel) {
    return channel.stat().endpoints().stream().map(EndpointStat::attempts).toList();
  }

  @Test
  void aMoveTakesNobodysTurn() {
    startShedding("bad");
    BalancedChannel channel = world.channel(c -> {}, "bad", "b");
    assertThat(world.answers(channel, 60)).containsOnly("b");
    assertThat(attempts(channel)).containsExactly(30L, 60L);
  }

  @Test
  void movesGoByTurnsOfTheirOwn() {
    startShedding("bad");
    BalancedChannel channel = world.channel(c -> {}, "bad", "b", "c");
    assertThat(world.answers(channel, 60)).containsOnly("b", "c");
    assertThat(attempts(channel)).containsExactly(20L, 30L, 30L);
  }

  @Test
  void aHedgeTakesNobodysTurn() {
    Queue<Runnable> held = new ArrayDeque<>();
    world.start("slow", server -> server.handlers(held::add));
    BalancedChannel channel = world.channel(c -> c.hedgeAfter(Duration.ofMillis(5)), "slow", "b");
    ShopRpc.Async shop = ShopRpc.async(channel);
    for (int i = 0; i < 60; i++) {
      assertThat(world.result(shop.who("call " + i))).isEqualTo("b");
    }
    assertThat(attempts(channel)).containsExactly(30L, 60L);
  }

  @Test
  void neitherTakesOneWhereTheFewestCallsAreUnderWay() {
    startShedding("bad");
    BalancedChannel channel = world.channel(c -> c.balancer(Balancer.leastInFlight()), "bad", "b");
    assertThat(world.answers(channel, 60)).containsOnly("b");
    assertThat(attempts(channel)).containsExactly(30L, 60L);
  }

  @Test
  @Tag("long")
  void whereAllShedMovesBeyondTheSecondAreWithinTheBudget() {
    int calls = 800;
    List<String> names = IntStream.range(0, 10).mapToObj(i -> "bad-" + i).toList();
    names.forEach(this::startShedding);
    BalancedChannel channel = world.channel(c -> {}, names.toArray(String[]::new));
    assertThat(world.answers(channel, calls)).containsOnly("failed");
    long made = attempts(channel).stream().mapToLong(Long::longValue).sum();
    assertThat(made).isEqualTo(3L * calls + Retries.DEFAULT.tokens());
    assertThat(channel.stat().refusedByBudget()).isPositive();
    List<Long> spread = new ArrayList<>(attempts(channel));
    assertThat(spread).allMatch(one -> one >= made / 20 && one <= made / 5);
  }
}
