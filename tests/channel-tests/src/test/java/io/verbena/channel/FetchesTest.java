package io.verbena.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferException;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.core.VerbenaServer;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Fetches over a channel, while its servers come and go. */
class FetchesTest {
  private static final int FETCHES = 200;
  private static final int CHUNK = 16 << 10;
  private static final int LENGTH = 400_000;
  private static final Duration LEASE = Duration.ofHours(1);
  private static final ObjectRef REF = ObjectRef.named("model", LENGTH);

  private final ChannelWorld world = ChannelWorld.withChunksOf(CHUNK);
  private final byte[] content = new byte[LENGTH];

  @TempDir
  @SuppressWarnings("NullAway.Init") // by JUnit
  Path directory;

  FetchesTest() {
    new Random(1).nextBytes(content);
  }

  @AfterEach
  void close() {
    world.close();
  }

  private void start(String name) {
    world.start(name, server -> publish(server.drainTime(Duration.ofMillis(1))));
  }

  private void publish(VerbenaServer.Builder server) {
    server.publish("model", Source.of(content), LEASE);
  }

  private static TransferException failure(ChannelWorld world, Transfer transfer) {
    return (TransferException) world.failure(transfer.result());
  }

  private static boolean isOver(Transfer transfer) {
    return transfer.result().toCompletableFuture().isDone();
  }

  private void assertHas(MemorySegment memory) {
    assertThat(memory.mismatch(MemorySegment.ofArray(content))).isEqualTo(-1);
  }

  /** Stops in the middle of what {@code runUntil} does between two looks. */
  private void stepUntil(BooleanSupplier met) {
    for (int steps = 0; !met.getAsBoolean(); steps++) {
      world.world.step();
      world.world.runHandlers();
      assertThat(steps).isLessThan(100_000);
    }
  }

  @Test
  void noFetchFailsWhileTheirServerRestarts() {
    start("a");
    BalancedChannel channel = world.channel(BalancedChannel.Builder::waitForReady, "a");
    List<Transfer> all = new ArrayList<>();
    List<MemorySegment> memories = new ArrayList<>();
    List<ByteArrayOutputStream> consumed = new ArrayList<>();
    for (int i = 0; i < FETCHES; i++) {
      switch (i % 4) {
        case 0 -> {
          MemorySegment memory = Arena.ofAuto().allocate(LENGTH);
          memories.add(memory);
          all.add(channel.objects().fetch(REF, Landing.of(memory)));
        }
        case 1 -> all.add(channel.objects().fetch(REF, Landing.pooled(LENGTH)));
        case 2 -> all.add(channel.objects().fetch(REF, Landing.file(directory.resolve("f" + i))));
        default -> {
          ByteArrayOutputStream bytes = new ByteArrayOutputStream();
          consumed.add(bytes);
          all.add(
              channel
                  .objects()
                  .fetch(
                      REF,
                      Landing.chunks(
                          (chunk, offset) -> {
                            assertThat(offset).isEqualTo(bytes.size());
                            bytes.write(chunk.toArray(ValueLayout.JAVA_BYTE));
                          })));
        }
      }
    }
    for (Transfer one : all) { // others wait for the memory
      one.result().thenAccept(Received::close);
    }
    long some = (long) FETCHES * LENGTH / 4;
    stepUntil(() -> all.stream().mapToLong(one -> one.progress().bytes()).sum() >= some);
    world.server("a").close();
    world.pass(Duration.ofSeconds(2));
    assertThat(all).anyMatch(one -> !isOver(one));
    start("a");
    for (Transfer one : all) {
      try (Received received = world.result(one.result())) {
        assertThat(received.length()).isEqualTo(LENGTH);
      }
    }
    memories.forEach(this::assertHas);
    consumed.forEach(bytes -> assertThat(bytes.toByteArray()).isEqualTo(content));
    for (int i = 2; i < FETCHES; i += 4) {
      assertThat(directory.resolve("f" + i)).hasBinaryContent(content);
    }
    channel.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"file", "memory", "chunks", "pooled"})
  void theProgressTellsWhatIsHereWhileAServerIsAwaitedAndInTheEnd(String where) {
    start("a");
    BalancedChannel channel = world.channel(BalancedChannel.Builder::waitForReady, "a");
    Landing landing =
        switch (where) {
          case "file" -> Landing.file(directory.resolve("f"));
          case "memory" -> Landing.of(Arena.ofAuto().allocate(LENGTH));
          case "chunks" -> Landing.chunks((chunk, offset) -> {});
          default -> Landing.pooled(LENGTH);
        };
    Transfer fetch = channel.objects().fetch(REF, landing);
    stepUntil(() -> fetch.progress().bytes() > LENGTH / 4);
    world.server("a").close();
    world.pass(Duration.ofSeconds(2));
    assertThat(isOver(fetch)).isFalse();
    assertThat(fetch.progress().bytes()).isBetween(LENGTH / 4L, LENGTH - 1L);
    start("a");
    world.result(fetch.result()).close();
    Transfer.Progress atItsEnd = fetch.progress();
    assertThat(atItsEnd.bytes()).isEqualTo(LENGTH);
    world.pass(Duration.ofSeconds(1));
    assertThat(fetch.progress()).isEqualTo(atItsEnd);
    channel.close();
  }

  @Test
  void aFetchGoesOnAtAnotherServerAfterTheLastByteThatArrived() {
    start("a");
    start("b");
    BalancedChannel channel = world.channel(c -> c.balancer(Balancer.pickFirst()), "a", "b");
    MemorySegment memory = Arena.ofAuto().allocate(LENGTH);
    Transfer fetch = channel.objects().fetch(REF, Landing.of(memory));
    stepUntil(() -> fetch.progress().bytes() > 0);
    assertThat(isOver(fetch)).isFalse();
    world.server("a").close();
    try (Received received = world.result(fetch.result())) {
      assertHas(received.memory());
    }
    assertThat(channel.stat().moves()).isEqualTo(1);
    assertThat(world.server("b").bulkStats().bytesSent()).isLessThan(LENGTH);
    channel.close();
  }

  @Test
  void anObjectThatOnlyAnotherServerHasIsFetchedThere() {
    world.start("without", server -> {});
    start("b");
    BalancedChannel channel = world.channel(c -> c.balancer(Balancer.pickFirst()), "without", "b");
    world.result(channel.objects().fetch(REF, Landing.pooled(LENGTH)).result()).close();
    channel.close();
  }

  @Test
  void aFetchThatNoServerCanServeFailsInTime() {
    world.start("without", server -> {});
    BalancedChannel hasty = world.channel(c -> {}, "without");
    TransferException none = failure(world, hasty.objects().fetch(REF, Landing.pooled(LENGTH)));
    assertThat(none.status()).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(none).hasMessageContaining("no object with that name is published");
    assertThat(hasty.stat().retries()).isEqualTo(2);
    BalancedChannel patient = world.channel(BalancedChannel.Builder::waitForReady, "without");
    TransferOptions short_ = TransferOptions.DEFAULT.withTimeout(Duration.ofSeconds(1));
    TransferException late =
        failure(world, patient.objects().fetch(REF, Landing.pooled(LENGTH), short_));
    assertThat(late.status()).isEqualTo(RpcStatus.DEADLINE_EXCEEDED);
    TransferException later = failure(world, patient.objects().fetch(REF, Landing.pooled(LENGTH)));
    assertThat(later.status()).isEqualTo(RpcStatus.UNAVAILABLE);
    hasty.close();
    patient.close();
  }

  @Test
  void aFetchIsCancelledWhileItWaitsAndWhileItMoves() {
    BalancedChannel channel = world.channel(BalancedChannel.Builder::waitForReady, "a");
    Transfer waits = channel.objects().fetch(REF, Landing.pooled(LENGTH));
    assertThat(waits.cancel()).isTrue();
    assertThat(failure(world, waits).status()).isEqualTo(RpcStatus.CANCELLED);
    assertThat(waits.cancel()).isFalse();
    start("a");
    world.pass(Duration.ofSeconds(1));
    Transfer moves = channel.objects().fetch(REF, Landing.pooled(LENGTH));
    world.world.step();
    assertThat(moves.result().toCompletableFuture().cancel(true)).isTrue();
    world.settle();
    assertThat(moves.result().toCompletableFuture()).isCancelled();
    assertThatThrownBy(() -> channel.objects().fetch(REF, Landing.pooled(1)))
        .isInstanceOf(IllegalArgumentException.class);
    channel.close();
  }
}
