package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.verbena.api.Answer;
import io.verbena.api.CallContext;
import io.verbena.api.CallOptions;
import io.verbena.api.ClientCall;
import io.verbena.api.ClientInterceptor;
import io.verbena.api.Metadata;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.ServerInterceptor;
import io.verbena.api.Session;
import io.verbena.core.PathPolicy;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.link.runtime.NanoClock;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.RdmaUpgradeProvider;
import io.verbena.verbs.fabric.Fabric;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Metadata and interceptors over both kinds of link, blocking and async. */
class InterceptedCallsTest {
  private static final Metadata.Key<String> TOKEN = Metadata.Key.text("token");
  private static final Metadata.Key<Integer> ATTEMPT =
      Metadata.Key.of("attempt", String::valueOf, Integer::valueOf);
  private static final Metadata.Key<String> SERVED = Metadata.Key.text("served");

  private final Queue<Metadata> replies = new ConcurrentLinkedQueue<>();
  private final AtomicInteger refusals = new AtomicInteger();

  /** Numbers its attempts at a call, and makes another one where the peer had no room. */
  private final class Retrying implements ClientInterceptor {
    @Override
    public <R> CompletionStage<Answer<R>> intercept(ClientCall<R> call) {
      return attempt(call, 1)
          .exceptionallyCompose(failure -> again(call, failure))
          .whenComplete((answer, failure) -> replies.add(call.replyMetadata()));
    }

    private static <R> CompletionStage<Answer<R>> again(ClientCall<R> call, Throwable failure) {
      boolean helps = failure instanceof RpcException rpc && rpc.mayRetry();
      return helps ? attempt(call, 2) : CompletableFuture.failedStage(failure);
    }

    private static <R> CompletionStage<Answer<R>> attempt(ClientCall<R> call, int number) {
      return call.proceed(call.metadata().with(ATTEMPT, number));
    }
  }

  /** Lets those pass who have a token, at their second attempt. */
  private final class Guard implements ServerInterceptor {
    @Override
    public void intercept(CallContext call, Next next) throws Exception {
      String token = call.metadata().get(TOKEN);
      if (token == null) {
        throw new RpcException(RpcStatus.UNAUTHENTICATED, "no token");
      }
      if (Integer.valueOf(1).equals(call.metadata().get(ATTEMPT))) {
        refusals.incrementAndGet();
        throw new RpcException(RpcStatus.RESOURCE_EXHAUSTED, "not yet");
      }
      next.run();
      call.replyMetadata(Metadata.EMPTY.with(SERVED, token + " " + call.method().name()));
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = PathPolicy.class,
      names = {"TCP_ONLY", "REQUIRE_RDMA"})
  void holdOnBothPaths(PathPolicy path) throws Exception {
    Fabric fabric = Fabric.threaded(7);
    RdmaUpgradeProvider east = provider(fabric, "east", "10.9.0.1");
    RdmaUpgradeProvider west = provider(fabric, "west", "10.9.0.2");
    try (VerbenaServer server =
            VerbenaServer.builder()
                .listen("127.0.0.1:0")
                .serve(HouseRpc.bind(new PlainHouse()))
                .serverInterceptor(new Guard())
                .path(path)
                .upgrades(west)
                .drainTime(Duration.ofMillis(100))
                .start();
        VerbenaClient client =
            VerbenaClient.builder()
                .clientInterceptor(new Retrying())
                .path(path)
                .upgrades(east)
                .build();
        Session session = client.connect(server.address().toString())) {
      calls(session);
      assertThat(session.path().link()).isEqualTo(path == PathPolicy.TCP_ONLY ? "tcp" : "rdma");
      await()
          .untilAsserted(
              () -> {
                assertThat(client.slotsInUse()).isZero();
                assertThat(client.sharedBytesInUse()).isZero();
              });
    } finally {
      fabric.close();
    }
  }

  private static RdmaUpgradeProvider provider(Fabric fabric, String name, String address)
      throws Exception {
    return new RdmaUpgradeProvider(
        fabric.addHost(name, InetAddress.getByName(address)),
        RdmaSettings.DEFAULT,
        NanoClock.SYSTEM);
  }

  private void calls(Session session) {
    CallOptions known = CallOptions.DEFAULT.withMetadata(Metadata.EMPTY.with(TOKEN, "ann"));
    House house = HouseRpc.client(session, known);
    assertThat(house.add(41)).isEqualTo(42);
    assertThat(HouseRpc.async(session, known).say("async").toCompletableFuture().join())
        .isEqualTo("async");
    byte[] large = new byte[3 << 20];
    large[1 << 20] = 7;
    MemorySegment back = house.same(MemorySegment.ofArray(large));
    assertThat(back.mismatch(MemorySegment.ofArray(large))).isEqualTo(-1);
    assertThat(replies)
        .extracting(metadata -> metadata.get(SERVED))
        .containsExactly("ann add", "ann say", "ann same");
    assertThat(refusals).hasValue(3);
    assertThatThrownBy(() -> HouseRpc.client(session).add(1))
        .isInstanceOfSatisfying(
            RpcException.class, e -> assertThat(e.status()).isEqualTo(RpcStatus.UNAUTHENTICATED));
  }
}
