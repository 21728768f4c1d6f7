package io.verbena.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.CallOptions;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.Streams;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.mem.InMemoryNetwork.Admission;
import io.verbena.testkit.contract.Kinds;
import io.verbena.testkit.contract.KindsRpc;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A call of whatever kind goes to another server, unless it may have been executed. */
@Timeout(60)
class EveryKindMovesTest {
  private static final Duration LONGER_THAN_THE_RESUME_WINDOW = Duration.ofSeconds(8);
  private static final byte[] LARGE = new byte[1 << 20];

  private final ChannelWorld world = new ChannelWorld();
  private final Served first = serves("a");
  private final Served second = serves("b");
  private final BalancedChannel channel =
      world.channel(c -> c.balancer(Balancer.pickFirst()), "a", "b");

  /** The called method; a blocking one runs on a thread of its own. */
  @SuppressWarnings("ImmutableEnumChecker") // functions without state
  private enum Kind {
    BLOCKING(
        on ->
            CompletableFuture.supplyAsync(
                () -> KindsRpc.client(on, CallOptions.timeout(Duration.ofSeconds(20))).plain("x"))),
    ASYNC(on -> KindsRpc.async(on).plain("x")),
    IDEMPOTENT(on -> KindsRpc.async(on).idempotent("x")),
    LARGE_VALUES(on -> KindsRpc.async(on).large(LARGE)),
    STREAM_RESULT(on -> KindsRpc.async(on).sent("x")),
    STREAM_ARGUMENT(on -> KindsRpc.async(on).taken(Streams.of(List.of(1L, 2L)))),
    STREAMS_BOTH_WAYS(on -> KindsRpc.async(on).exchanged(Streams.of(List.of(1L, 2L)))),
    LANDING(on -> KindsRpc.async(on).read(Landing.pooled(64))),
    ONEWAY(on -> CompletableFuture.runAsync(() -> KindsRpc.client(on).tell("x")));

    private final Function<BalancedChannel, CompletionStage<?>> call;

    Kind(Function<BalancedChannel, CompletionStage<?>> call) {
      this.call = call;
    }

    CompletableFuture<?> on(BalancedChannel channel) {
      return call.apply(channel).toCompletableFuture();
    }
  }

  /** Serves every kind of call, and notes what it has executed. */
  private static final class Served implements Kinds {
    final List<String> executed = new ArrayList<>();
    Runnable meanwhile = () -> {};

    private <T> T done(String kind, T result) {
      executed.add(kind);
      meanwhile.run();
      return result;
    }

    @Override
    public String plain(String text) {
      return done("plain", text);
    }

    @Override
    public String idempotent(String text) {
      return done("idempotent", text);
    }

    @Override
    public byte[] large(byte[] bytes) {
      return done("large", bytes);
    }

    @Override
    public Flow.Publisher<Long> sent(String text) {
      return done("sent", Streams.of(List.of(3L)));
    }

    @Override
    public long taken(Flow.Publisher<Long> numbers) {
      return done("taken", 0L);
    }

    @Override
    public Flow.Publisher<Long> exchanged(Flow.Publisher<Long> numbers) {
      return done("exchanged", numbers);
    }

    @Override
    public Received read(Landing into) {
      return done("read", Received.from(Source.of(new byte[] {1})));
    }

    @Override
    public void tell(String text) {
      done("tell", text);
    }
  }

  private Served serves(String name) {
    Served served = new Served();
    world.start(name, server -> server.serve(KindsRpc.bind(served)));
    return served;
  }

  @AfterEach
  void close() {
    world.close();
  }

  private void runUntilDone(CompletableFuture<?> call) {
    settleUntil(call::isDone); // a thread of its own is in no hurry
    world.settle();
  }

  private void settleUntil(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      world.settle();
      assertThat(Thread.interrupted()).as("too late").isFalse();
    }
  }

  @ParameterizedTest
  @EnumSource
  void whereTheServerLeavesBeforeItExecutesTheCall(Kind kind) {
    if (kind == Kind.ONEWAY) {
      world.server("a").drain(); // of one that has left nobody would hear
      world.settle(); // the channel knows
    }
    CompletableFuture<?> call = kind.on(channel);
    while (kind != Kind.ONEWAY && world.world.client().slotsInUse() == 0) {
      Thread.onSpinWait(); // one that blocks has a thread of its own
    }
    world.server("a").drain(); // the call is on its way
    runUntilDone(call);
    assertThat(call).isCompleted();
    settleUntil(() -> !second.executed.isEmpty()); // a one-way call is done before that
    assertThat(first.executed).isEmpty();
    assertThat(second.executed).hasSize(1);
    if (call.resultNow() instanceof Received object) {
      object.close();
    }
  }

  @ParameterizedTest
  @EnumSource
  void notWhereTheServerIsLostWhenItExecutesTheCallUnlessThatIsIdempotent(Kind kind) {
    first.meanwhile = this::losesFirst;
    CompletableFuture<?> call = kind.on(channel);
    settleUntil(() -> !first.executed.isEmpty());
    world.pass(LONGER_THAN_THE_RESUME_WINDOW);
    runUntilDone(call);
    assertThat(first.executed).hasSize(1);
    assertThat(second.executed).hasSize(kind == Kind.IDEMPOTENT ? 1 : 0);
    switch (kind) {
      case IDEMPOTENT, ONEWAY -> assertThat(call).isCompleted();
      default ->
          assertThat(failure(call))
              .isInstanceOfSatisfying(
                  RpcException.class,
                  e -> assertThat(e.execution()).isNotEqualTo(Execution.NOT_EXECUTED));
    }
  }

  /** Its process is killed. */
  private void losesFirst() {
    URI address = URI.create("mem://a");
    world.world.network().admit(address, Admission.NOBODY_LISTENS);
    world.world.network().drop(address, "its process was killed");
  }

  private static Throwable failure(CompletableFuture<?> call) {
    Throwable failure = call.exceptionNow();
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }
}
