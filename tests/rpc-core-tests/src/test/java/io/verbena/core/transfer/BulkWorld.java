package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferException;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.core.bulk.stat.BulkStats;
import io.verbena.mem.InMemoryNetwork;
import io.verbena.testkit.InMemoryUpgrade;
import io.verbena.testkit.SteppedWorld;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** A client and a server with small chunks, so that small objects take many. */
final class BulkWorld implements AutoCloseable {
  static final int CHUNK = 4096;
  static final long MEMORY = 16 << 20;
  static final int LONGEST_MESSAGE = 64 << 10;
  static final Duration LEASE = Duration.ofMinutes(1);

  final SteppedWorld world =
      new SteppedWorld(
          SessionLimits.DEFAULT.withMaxMessageBytes(LONGEST_MESSAGE),
          InMemoryNetwork.DEFAULT_RING_FRAMES,
          CHUNK);
  final InMemoryNetwork fast =
      new InMemoryNetwork(world.clock(), InMemoryNetwork.DEFAULT_RING_FRAMES, CHUNK);
  final InMemoryUpgrade upgrade = new InMemoryUpgrade(fast);
  final Arena arena = Arena.ofShared();
  final List<Session> accepted = new ArrayList<>();
  final VerbenaServer server;
  final VerbenaClient client;
  final Session session;

  /** Sessions that stay on their first link. */
  BulkWorld() {
    this(false);
  }

  /** Sessions that upgrade, where wanted. */
  BulkWorld(boolean upgrades) {
    this(upgrades, settings -> {});
  }

  /** Sessions with a server that has further settings. */
  BulkWorld(boolean upgrades, Consumer<VerbenaServer.Builder> settings) {
    server =
        world.server(
            s -> {
              s.bulkMemoryBytes(MEMORY).largeValueBytes(CHUNK).onSession(accepted::add);
              settings.accept(s);
              if (upgrades) {
                s.upgrades(upgrade);
              }
            });
    client =
        world.client(
            c -> {
              c.bulkMemoryBytes(MEMORY).largeValueBytes(CHUNK);
              if (upgrades) {
                c.upgrades(upgrade);
              }
            });
    session = client.session(world.address());
  }

  /** Returns random bytes in memory of the test's. */
  MemorySegment bytes(int length, long seed) {
    byte[] bytes = new byte[length];
    new SplittableRandom(seed).nextBytes(bytes);
    MemorySegment memory = arena.allocate(Math.max(1, length), 8).asSlice(0, length);
    MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, 0, length);
    return memory;
  }

  MemorySegment room(long length) {
    return arena.allocate(Math.max(1, length), 8).asSlice(0, length);
  }

  static void assertFilled(MemorySegment memory, int with) {
    MemorySegment filled = MemorySegment.ofArray(new byte[(int) memory.byteSize()]);
    assertThat(memory.mismatch(filled.fill((byte) with))).isEqualTo(-1);
  }

  /** Publishes on the server. */
  ObjectRef publish(Source source) {
    return server.publish(source, LEASE).ref();
  }

  Transfer fetch(ObjectRef ref, Landing into) {
    return session.objects().fetch(ref, into);
  }

  static boolean isOver(Transfer transfer) {
    return future(transfer).isDone();
  }

  static CompletableFuture<Received> future(Transfer transfer) {
    return transfer.result().toCompletableFuture();
  }

  Received await(Transfer transfer) {
    return await(transfer.result());
  }

  /** Steps until it is there. */
  <T> T await(CompletionStage<T> stage) {
    return world.result(stage);
  }

  TransferException awaitFailure(Transfer transfer) {
    return awaitFailure(transfer.result(), TransferException.class);
  }

  /** Steps until it has failed, as it should, in this way. */
  <E extends Exception> E awaitFailure(CompletionStage<?> stage, Class<E> type) {
    return assertInstanceOf(type, world.failure(stage));
  }

  /** Opens the session, and no more. */
  void open() {
    session.objects().fetch(new ObjectRef(1, 1, 1), Landing.pooled(1));
    for (int i = 0; i < 100 && session.path().link().equals("none"); i++) {
      world.step();
    }
    assertThat(session.path().link()).isEqualTo("mem");
  }

  /** Steps so often. */
  void steps(int count) {
    for (int i = 0; i < count; i++) {
      world.step();
      world.runHandlers();
    }
  }

  /** Checks that nothing is left behind on either end, whatever happened. */
  void assertNothingLeft() {
    world.pass(Duration.ofMillis(1_100)); // memory for further pushes is given back then
    for (BulkStats stats : List.of(client.bulkStats(), server.bulkStats())) {
      assertThat(stats.sending()).as("sending").isZero();
      assertThat(stats.receiving()).as("receiving").isZero();
      assertThat(stats.memoryInUse()).as("pooled memory in use").isZero();
      assertThat(stats.quarantined()).as("quarantined").isZero();
    }
  }

  @Override
  public void close() {
    world.close();
    arena.close();
  }
}
