package io.verbena.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.AttemptNumber;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.mem.InMemoryNetwork.Admission;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which calls are made again, how often, and which beside. */
class RetriesTest {
  private static final Retries ONE_TOKEN =
      Retries.DEFAULT
          .withDelay(Backoff.of(Duration.ofMillis(10), Duration.ofMillis(20)))
          .withTokens(1, 0);

  private final ChannelWorld world = new ChannelWorld("a", "b");

  @AfterEach
  void close() {
    world.close();
  }

  /** The server is gone with what it has taken, and nobody listens there. */
  private void kill(String name) {
    world.world.network().admit(URI.create("mem://" + name), Admission.NOBODY_LISTENS);
    world.world.network().drop(URI.create("mem://" + name), "its process was killed");
    world.settle();
  }

  @Test
  void aCallThatMayHaveBeenExecutedIsMadeAgainIfItIsIdempotent() {
    Queue<Runnable> held = new ArrayDeque<>();
    world.start("slow", server -> server.handlers(held::add));
    BalancedChannel channel = world.channel(c -> c.balancer(Balancer.pickFirst()), "slow", "b");
    ShopRpc.Async shop = ShopRpc.async(channel);
    CompletableFuture<String> idempotent = shop.who("again").toCompletableFuture();
    CompletableFuture<String> other = shop.once("once").toCompletableFuture();
    world.settle();
    assertThat(held).hasSize(2);
    kill("slow");
    assertThat(world.result(idempotent)).isEqualTo("b");
    assertThat(world.failure(other))
        .isInstanceOfSatisfying(
            RpcException.class, e -> assertThat(e.status()).isEqualTo(RpcStatus.UNAVAILABLE));
    assertThat(world.branch("b").executed).containsExactly("again");
    assertThat(channel.stat().retries()).isOne();
  }

  @Test
  void aBalancerSeesWhichAttemptItChoosesFor() {
    List<Integer> seen = new CopyOnWriteArrayList<>();
    Queue<Runnable> held = new ArrayDeque<>();
    world.start("slow", server -> server.handlers(held::add));
    BalancedChannel channel =
        world.channel(
            c ->
                c.balancer(
                    (among, call) -> {
                      seen.add(AttemptNumber.of(call.metadata()));
                      return 0;
                    }),
            "slow",
            "b");
    CompletableFuture<String> call = ShopRpc.async(channel).who("again").toCompletableFuture();
    world.settle();
    kill("slow");
    assertThat(world.result(call)).isEqualTo("b");
    assertThat(seen).containsExactly(1, 2);
  }

  @Test
  void anAttemptSaysWhichOneItIs() {
    List<Integer> attempts = new CopyOnWriteArrayList<>();
    Queue<Runnable> held = new ArrayDeque<>();
    world.start("slow", server -> server.handlers(held::add));
    world.start(
        "c",
        server ->
            server.serverInterceptor(
                (call, next) -> {
                  attempts.add(AttemptNumber.of(call.metadata()));
                  next.run();
                }));
    BalancedChannel channel = world.channel(c -> c.balancer(Balancer.pickFirst()), "slow", "c");
    CompletableFuture<String> call = ShopRpc.async(channel).who("again").toCompletableFuture();
    world.settle();
    kill("slow");
    assertThat(world.result(call)).isEqualTo("c");
    assertThat(world.result(ShopRpc.async(channel).who("first"))).isEqualTo("c");
    assertThat(attempts).containsExactly(2, 1);
  }

  @Test
  void isNotSaidToBeNotExecutedWhereItMayHaveBeenBefore() {
    Queue<Runnable> held = new ArrayDeque<>();
    world.start("slow", server -> server.handlers(held::add));
    ShopRpc.Async shop = ShopRpc.async(world.channel(c -> {}, "slow"));
    CompletableFuture<String> call = shop.who("perhaps").toCompletableFuture();
    world.settle();
    kill("slow");
    assertThat(world.failure(call))
        .isInstanceOfSatisfying(
            RpcException.class, e -> assertThat(e.execution()).isEqualTo(Execution.UNKNOWN));
  }

  @Test
  void noMoreThanTheBudgetAllows() {
    Queue<Runnable> held = new ArrayDeque<>();
    world.start("slow", server -> server.handlers(held::add));
    BalancedChannel channel =
        world.channel(c -> c.balancer(Balancer.pickFirst()).retries(ONE_TOKEN), "slow", "b");
    ShopRpc.Async shop = ShopRpc.async(channel);
    CompletableFuture<String> first = shop.who("first").toCompletableFuture();
    CompletableFuture<String> second = shop.who("second").toCompletableFuture();
    world.settle();
    kill("slow");
    assertThat(world.result(first)).isEqualTo("b");
    assertThat(world.failure(second)).isInstanceOf(RpcException.class);
    assertThat(channel.stat().refusedByBudget()).isOne();
  }

  @Test
  void anAttemptOfAnIdempotentCallIsGivenUpAfterItsTimeAndMadeElsewhere() {
    Queue<Runnable> held = new ArrayDeque<>();
    world.start("stands", server -> server.handlers(held::add));
    Retries retries = Retries.DEFAULT.withAttemptTimeout(Duration.ofMillis(100));
    BalancedChannel channel =
        world.channel(c -> c.balancer(Balancer.pickFirst()).retries(retries), "stands", "b");
    ShopRpc.Async shop = ShopRpc.async(channel);
    CompletableFuture<String> idempotent = shop.who("again").toCompletableFuture();
    CompletableFuture<String> other = shop.once("once").toCompletableFuture();
    world.pass(Duration.ofMillis(99));
    assertThat(idempotent).isNotDone();
    assertThat(world.result(idempotent)).isEqualTo("b");
    world.pass(Duration.ofSeconds(5));
    assertThat(other).isNotDone();
    assertThat(channel.stat().retries()).isOne();
  }

  @Test
  void whereNoServerAnswersInAnAttemptsTimeTheCallFailsAfterAsManyAsThereMayBe() {
    Queue<Runnable> held = new ArrayDeque<>();
    world.start("stands", server -> server.handlers(held::add));
    Retries retries = Retries.DEFAULT.withAttemptTimeout(Duration.ofMillis(100));
    BalancedChannel channel = world.channel(c -> c.retries(retries), "stands");
    CompletableFuture<String> call = ShopRpc.async(channel).who("?").toCompletableFuture();
    world.pass(Duration.ofMillis(400));
    assertThat(call.exceptionNow())
        .hasMessageContaining("its deadline of 100 ms passed")
        .hasMessageContaining("(server mem://stands, attempt 3)");
  }

  @Test
  void answersThatTheUserNamesAreReasonForARetryOfAnIdempotentCall() {
    Retries retries = Retries.DEFAULT.withAlsoAfter(RpcStatus.INTERNAL, RpcStatus.UNAVAILABLE);
    BalancedChannel channel =
        world.channel(c -> c.balancer(Balancer.pickFirst()).retries(retries), "a", "b");
    ShopRpc.Async shop = ShopRpc.async(channel);
    world.branch("a").refuses = RpcStatus.INTERNAL;
    assertThat(world.result(shop.who("again"))).isEqualTo("b");
    assertThat(world.failure(shop.once("once"))).hasMessageContaining("INTERNAL");
    world.branch("a").refuses = RpcStatus.INVALID_ARGUMENT;
    assertThat(world.failure(shop.who("no"))).hasMessageContaining("INVALID_ARGUMENT");
  }

  @Test
  void aHandlerThatHasDoneNothingMayHaveTheCallMadeElsewhere() {
    BalancedChannel channel = world.channel(c -> c.balancer(Balancer.pickFirst()), "a", "b");
    world.branch("a").refuses = RpcStatus.UNAVAILABLE;
    assertThat(world.failure(ShopRpc.async(channel).once("executed")))
        .isInstanceOfSatisfying(
            RpcException.class, e -> assertThat(e.execution()).isEqualTo(Execution.EXECUTED));
    world.branch("a").doesNothing = true;
    assertThat(world.result(ShopRpc.async(channel).once("elsewhere"))).isEqualTo("b");
    assertThat(channel.stat().moves()).isOne();
    assertThat(channel.stat().retries()).isZero();
  }

  @Test
  void aFailureNamesItsServer() {
    BalancedChannel channel = world.channel(c -> {}, "a");
    world.branch("a").refuses = RpcStatus.PERMISSION_DENIED;
    assertThat(world.failure(ShopRpc.async(channel).once("?")))
        .hasMessageContaining("PERMISSION_DENIED: not now (server mem://a, attempt 1)");
  }

  @Test
  void aSecondAttemptIsMadeWhereTheFirstHasNoAnswerInTime() {
    Queue<Runnable> held = new ArrayDeque<>();
    world.start("slow", server -> server.handlers(held::add));
    BalancedChannel channel =
        world.channel(
            c -> c.balancer(Balancer.pickFirst()).hedgeAfter(Duration.ofMillis(50)), "slow", "b");
    ShopRpc.Async shop = ShopRpc.async(channel);
    CompletableFuture<String> hedged = shop.who("hedged").toCompletableFuture();
    CompletableFuture<String> alone = shop.once("alone").toCompletableFuture();
    world.pass(Duration.ofMillis(49));
    assertThat(hedged).isNotDone();
    assertThat(channel.stat().hedges()).isZero();
    assertThat(world.result(hedged)).isEqualTo("b");
    world.pass(Duration.ofMillis(100));
    assertThat(alone).isNotDone();
    assertThat(channel.stat().hedges()).isOne();
    assertThat(channel.stat().endpoints().getFirst().inFlight()).isOne();
  }
}
