package io.verbena.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.channel.ChannelStat.EndpointStat;
import io.verbena.core.SessionLimits;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls over several servers, of which some go. */
class ManyServersTest {
  private static final Backoff A_WHILE = Backoff.of(Duration.ofSeconds(10), Duration.ofMinutes(1));

  private static final int MOST_COLLECTIONS = 100;

  private final ChannelWorld world = new ChannelWorld("a", "b", "c");

  @AfterEach
  void close() {
    world.close();
  }

  private static ShopRpc.Async shop(BalancedChannel channel) {
    return ShopRpc.async(channel);
  }

  private List<String> answers(ShopRpc.Async shop, int calls) {
    List<String> answers = new ArrayList<>();
    for (int i = 0; i < calls; i++) {
      answers.add(world.result(shop.once("call " + i)));
    }
    return answers;
  }

  @Test
  void callsGoByTurns() {
    ShopRpc.Async shop = shop(world.channel(c -> {}, "a", "b", "c"));
    assertThat(answers(shop, 6)).containsExactly("a", "b", "c", "a", "b", "c");
  }

  @Test
  void orToTheFirstThereIs() {
    BalancedChannel channel =
        world.channel(c -> c.balancer(Balancer.pickFirst()), "nobody", "b", "c");
    assertThat(answers(shop(channel), 3)).containsExactly("b", "b", "b");
  }

  @Test
  void callsThatAreMadeBeforeASessionIsOpenWaitForIt() {
    BalancedChannel channel =
        BalancedChannel.builder(world.world.client(), "static:mem://a").time(world.time).build();
    assertThat(world.result(shop(channel).who("early"))).isEqualTo("a");
  }

  @Test
  void aServerThatDrainsGetsNoMoreCalls() {
    BalancedChannel channel = world.channel(c -> {}, "a", "b");
    ShopRpc.Async shop = shop(channel);
    world.server("a").drain();
    world.settle();
    assertThat(answers(shop, 3)).containsExactly("b", "b", "b");
    assertThat(channel.stat().moves()).isZero();
  }

  @Test
  void whatItHasNotTakenGoesElsewhereWithoutAnError() {
    BalancedChannel channel = world.channel(c -> {}, "a", "b");
    ShopRpc.Async shop = shop(channel);
    List<CompletableFuture<String>> calls = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      calls.add(shop.once("call " + i).toCompletableFuture());
      if (i == 10) {
        world.server("a").drain();
      }
    }
    calls.forEach(call -> assertThat(world.result(call)).isIn("a", "b"));
    assertThat(world.branch("a").executed.size() + world.branch("b").executed.size()).isEqualTo(20);
    assertThat(channel.stat().moves()).isPositive();
    assertThat(channel.stat().retries()).isZero();
  }

  @Test
  void aServerThatIsThereAgainGetsCallsAgain() {
    ShopRpc.Async shop = shop(world.channel(c -> {}, "a", "b"));
    world.server("a").close();
    world.pass(Duration.ofSeconds(1));
    assertThat(answers(shop, 2)).containsExactly("b", "b");
    world.start("a", s -> {});
    world.pass(Duration.ofSeconds(11));
    assertThat(answers(shop, 4)).contains("a", "b");
  }

  @Test
  void whereNobodyIsThereCallsFailAtOnceAndSayWhy() {
    BalancedChannel channel = world.channel(c -> {}, "nobody", "none");
    world.pass(Duration.ofMillis(200));
    Throwable failure = world.failure(shop(channel).who("?"));
    assertThat(failure)
        .isInstanceOfSatisfying(
            RpcException.class,
            e -> {
              assertThat(e.status()).isEqualTo(RpcStatus.UNAVAILABLE);
              assertThat(e.execution()).isEqualTo(Execution.NOT_EXECUTED);
            })
        .hasMessageContaining("none of 2 servers takes calls: nothing listens at mem://nobody");
    assertThat(channel.stat().unserved()).isOne();
    assertThat(channel.stat().why())
        .startsWith("none of 2 servers takes calls: nothing listens at mem://nobody");
  }

  @Test
  void ofAServerThatDoesNotAnswerYetItIsSaidForHowLong() {
    BalancedChannel channel =
        BalancedChannel.builder(world.world.client(), "static:mem://a").time(world.time).build();
    world.world.clock().advance(Duration.ofMillis(20));
    assertThat(channel.stat().why())
        .isEqualTo("none of 1 servers takes calls: mem://a: still connecting, for 20 ms so far");
  }

  @Test
  void orWaitUntilSomebodyIs() {
    BalancedChannel channel = world.channel(c -> c.waitForReady(), "late");
    world.pass(Duration.ofMillis(200));
    CompletableFuture<String> call = shop(channel).who("patient").toCompletableFuture();
    world.pass(Duration.ofMillis(500));
    assertThat(call).isNotDone();
    world.start("late", s -> {});
    assertThat(world.result(call)).isEqualTo("late");
    assertThat(channel.stat().unserved()).isZero();
    assertThat(channel.stat().why()).isEmpty();
  }

  @Tag("long")
  @Test
  void moreOfThemThanASessionHasPlacesForWaitForAPlace() {
    BalancedChannel channel =
        world.channel(c -> c.waitForReady().ejection(Ejection.of(2, A_WHILE)), "late", "nobody");
    List<CompletableFuture<String>> calls = new ArrayList<>();
    for (int i = 0; i < 5 * SessionLimits.DEFAULT.maxCalls(); i++) {
      calls.add(shop(channel).who("one of many").toCompletableFuture());
    }
    world.pass(Duration.ofMillis(500));
    world.start("late", s -> {});
    world.pass(Duration.ofSeconds(20));
    assertThat(calls).allSatisfy(call -> assertThat(call).isCompletedWithValue("late"));
    assertThat(channel.stat().endpoints().getFirst().failures()).isZero();
    assertThat(channel.stat().endpoints()).noneMatch(EndpointStat::ejected);
    assertThat(channel.stat().unserved()).isZero();
    assertThat(channel.stat().refusedByBudget()).isZero();
  }

  @Test
  void untilTheirDeadline() {
    BalancedChannel channel = world.channel(c -> c.waitForReady(), "never");
    CompletableFuture<String> call = shop(channel).who("in vain").toCompletableFuture();
    world.pass(Duration.ofSeconds(31));
    assertThat(call.exceptionNow())
        .isInstanceOfSatisfying(
            RpcException.class, e -> assertThat(e.status()).isEqualTo(RpcStatus.DEADLINE_EXCEEDED));
    assertThat(channel.stat().unserved()).isOne();
    assertThat(channel.stat().why())
        .contains("nothing listens at mem://never")
        .contains("nothing listens");
  }

  /** Ends a call that waits for a server. */
  private enum End {
    DEADLINE,
    CANCEL
  }

  @ParameterizedTest
  @EnumSource
  void whatHasWaitedInVainIsForgotten(End end) {
    Resolver knowsNobody =
        new Resolver() {
          @Override
          public void start(Listener listener) {}

          @Override
          public void close() {}
        };
    BalancedChannel channel =
        world.channel(BalancedChannel.builder(world.world.client(), knowsNobody), c -> {});
    CompletableFuture<String> call = shop(channel).who("in vain").toCompletableFuture();
    if (end == End.DEADLINE) {
      world.pass(Duration.ofSeconds(31));
    } else {
      call.cancel(true);
    }
    assertThat(call).isCompletedExceptionally();
    WeakReference<CompletableFuture<String>> kept = new WeakReference<>(call);
    call = null;
    for (int i = 0; i < MOST_COLLECTIONS && kept.get() != null; i++) {
      System.gc();
      world.settle();
    }
    assertThat(kept.get()).isNull();
  }

  @Test
  void oneWayCallsAndLandingsGoThroughAChannel() {
    ShopRpc.Async shop = shop(world.channel(c -> {}, "a", "b"));
    shop.tell("news");
    world.settle();
    assertThat(world.branch("a").told).containsExactly("news");
    try (Received object = world.result(shop.read(Landing.pooled(64)))) {
      assertThat(object.length()).isOne();
    }
  }

  @Test
  void alsoWhereAServerDrains() {
    BalancedChannel channel = world.channel(c -> c.balancer(Balancer.pickFirst()), "a", "b");
    ShopRpc.Async shop = shop(channel);
    world.server("a").drain(); // its word is on its way: these meet a server that takes no more
    CompletableFuture<Received> object = shop.read(Landing.pooled(64)).toCompletableFuture();
    world.world.settle();
    shop.tell("news");
    try (Received received = world.result(object)) {
      assertThat(received.length()).isOne();
    }
    world.settle();
    assertThat(world.branch("b").told).containsExactly("news");
    assertThat(channel.stat().moves()).isOne();
    assertThat(channel.stat().calls()).isEqualTo(2);
  }

  @Test
  void aSubsetHasSessionsWithSomeOnly() {
    BalancedChannel channel = world.channel(c -> c.subset(2, 7), "a", "b", "c");
    assertThat(channel.stat().endpoints()).hasSize(2);
    assertThat(answers(shop(channel), 6)).hasSize(6).doesNotContainNull();
  }

  @Test
  void aClosedChannelSaysSo() {
    BalancedChannel channel = world.channel(c -> {}, "a");
    channel.close();
    assertThat(world.failure(shop(channel).who("?")))
        .hasMessageContaining("the channel is closed")
        .isInstanceOfSatisfying(RpcException.class, e -> assertThat(e.mayRetry()).isFalse());
    assertThat(channel.stat().why()).isEqualTo("the channel is closed");
    assertThat(channel.stat().unserved()).isZero();
  }

  @Test
  void soDoesOneWhoseClientIsClosedAlsoWhereCallsWait() {
    BalancedChannel channel = world.channel(c -> c.waitForReady(), "a");
    world.world.client().close();
    world.settle();
    assertThat(world.failure(shop(channel).who("?")))
        .hasMessageContaining("the channel's client is closed")
        .isInstanceOfSatisfying(RpcException.class, e -> assertThat(e.mayRetry()).isFalse());
  }
}
