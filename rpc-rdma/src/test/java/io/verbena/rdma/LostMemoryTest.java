package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferException;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.Seed;
import io.verbena.testkit.SteppedWorld;
import io.verbena.verbs.fabric.DeviceProfile;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A device that does not destroy a queue pair may write for ever where the peer could: that memory
 * is kept, and nothing waits for it.
 */
final class LostMemoryTest {
  private static final int OBJECT_BYTES = 10 << 20;

  private final SteppedWorld world = new SteppedWorld().withoutWaits();
  private final FabricWorld verbs =
      new FabricWorld(Seed.random("lost memory").nextLong(), DeviceProfile.full(), world.clock());
  private final RdmaUpgradeProvider east = provider(new SteppedVerbs(verbs.east, verbs));
  private final RdmaUpgradeProvider west = provider(new SteppedVerbs(verbs.west, verbs));
  private final Arena arena = Arena.ofShared();
  private VerbenaServer server;
  private VerbenaClient client;
  private Session session;

  @SuppressWarnings("NullAway.Init") // by upgraded
  LostMemoryTest() {}

  private RdmaUpgradeProvider provider(SteppedVerbs device) {
    return new RdmaUpgradeProvider(device, RdmaSettings.DEFAULT, world.clock());
  }

  @BeforeEach
  void upgraded() {
    server =
        world.server(s -> s.serve(Echo.bind(text -> {})).upgrades(new SteppedUpgrade(west, verbs)));
    client = world.client(c -> c.upgrades(new SteppedUpgrade(east, verbs)));
    session = client.session(world.address());
    call();
    world.runUntil(() -> session.path().link().equals("rdma"));
  }

  @AfterEach
  void close() {
    verbs.east.keepQueuePairs(false);
    world.close();
    arena.close();
  }

  private void call() {
    CompletableFuture<String> call = Echo.call(session, "text");
    world.runUntil(call::isDone);
    assertThat(call).isCompletedWithValue("text");
  }

  private Landing landing(String kind) {
    return kind.equals("pooled")
        ? Landing.pooled(OBJECT_BYTES)
        : Landing.of(arena.allocate(OBJECT_BYTES, 4096));
  }

  /** Fetches until some has arrived. */
  private Transfer halfWay(Published published, String kind) {
    Transfer transfer = session.objects().fetch(published.ref(), landing(kind));
    for (int i = 0; i < 10_000 && transfer.progress().bytes() == 0; i++) {
      world.step();
      world.runHandlers();
      world.clock().advance(Duration.ofNanos(10_000));
    }
    assertThat(transfer.progress().bytes()).isPositive().isLessThan(OBJECT_BYTES);
    return transfer;
  }

  private Published published() {
    return server.publish(Source.of(arena.allocate(OBJECT_BYTES, 4096)), Duration.ofMinutes(1));
  }

  private static TransferException failure(CompletableFuture<Received> outcome) {
    return (TransferException) outcome.exceptionNow();
  }

  /** The session goes on, and what the device may write into is registered and claimed. */
  private void assertKept() {
    call();
    assertThat(session.path().link()).isEqualTo("mem");
    assertThat(client.bulkStats().quarantined()).as("quarantined").isPositive();
    assertThat(east.counters().quarantinedBytes()).as("quarantined by the link").isPositive();
    assertThat(east.pinnedBytes()).as("registered").isGreaterThanOrEqualTo(OBJECT_BYTES);
  }

  @ParameterizedTest
  @ValueSource(strings = {"pooled", "of"})
  void aTransferIntoItFails(String kind) {
    try (Published published = published()) {
      CompletableFuture<Received> outcome = halfWay(published, kind).result().toCompletableFuture();
      verbs.east.keepQueuePairs(true);
      verbs.fabric.cut(verbs.east, verbs.west);
      world.runUntil(outcome::isDone);
      assertThat(failure(outcome)).hasMessageContaining("may still write into its memory");
      assertThat(failure(outcome).status()).isEqualTo(RpcStatus.INTERNAL);
      assertKept();
    }
  }

  /** That its completions cannot be had does not mean that it is gone. */
  @ParameterizedTest
  @ValueSource(strings = {"pooled", "of"})
  void aTransferIntoItFailsWhenTheDeviceIsGivenUp(String kind) {
    try (Published published = published()) {
      CompletableFuture<Received> outcome = halfWay(published, kind).result().toCompletableFuture();
      verbs.east.keepQueuePairs(true);
      verbs.east.adapter().breakDown();
      world.runUntil(outcome::isDone);
      assertThat(failure(outcome)).hasMessageContaining("may still write into its memory");
      assertKept();
    }
  }

  /** It waits for the peer to leave its memory alone, and the peer does not answer. */
  @ParameterizedTest
  @ValueSource(strings = {"pooled", "of"})
  void aTransferThatWaitedForItEndsAsItWouldHave(String kind) {
    try (Published published = published()) {
      Transfer transfer = halfWay(published, kind);
      CompletableFuture<Received> outcome = transfer.result().toCompletableFuture();
      verbs.east.keepQueuePairs(true);
      verbs.fabric.cut(verbs.east, verbs.west);
      transfer.cancel();
      world.runUntil(outcome::isDone);
      assertThat(failure(outcome).status()).isEqualTo(RpcStatus.CANCELLED);
      world.pass(Duration.ofSeconds(3));
      assertKept();
    }
  }

  /** Its sender may know by then that all has come. */
  @ParameterizedTest
  @ValueSource(ints = {2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 24, 28})
  void aTransferIsAnsweredWheneverThatHappens(int steps) {
    try (Published published = published()) {
      CompletableFuture<Received> outcome =
          session
              .objects()
              .fetch(published.ref(), 0, 1000, landing("of"), TransferOptions.DEFAULT)
              .result()
              .toCompletableFuture();
      for (int i = 0; i < steps; i++) {
        world.step();
        world.clock().advance(Duration.ofNanos(10_000));
      }
      verbs.east.keepQueuePairs(true);
      verbs.fabric.cut(verbs.east, verbs.west);
      world.runUntil(outcome::isDone);
      if (outcome.isCompletedExceptionally()) {
        assertThat(failure(outcome).status()).isEqualTo(RpcStatus.INTERNAL);
        assertThat(failure(outcome)).hasMessageContaining("may still write into its memory");
      }
      call();
      world.pass(Duration.ofSeconds(1));
      assertThat(server.bulkStats().sending()).isZero();
    }
  }
}
