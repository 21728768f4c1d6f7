package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.Seed;
import io.verbena.testkit.SteppedWorld;
import io.verbena.verbs.fabric.DeviceProfile;
import io.verbena.verbs.fabric.DeviceProfile.Windows;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Landings that stand open on RDMA are opened once, and closed when their path is. */
final class StandingOverRdmaTest {
  private static final int COUNT = 4;
  private static final int BYTES = 64 << 10;

  /** A session that upgrades, and a server that takes what it pushes. */
  private static final class World implements AutoCloseable, PushHandler {
    final SteppedWorld world = new SteppedWorld().withoutWaits();
    final FabricWorld verbs;
    final RdmaUpgradeProvider east;
    final RdmaUpgradeProvider west;
    final VerbenaServer server;
    final Session session;
    final Arena arena = Arena.ofShared();
    final Map<String, byte[]> taken = new HashMap<>();
    boolean refuses;
    private int pushes;

    World(long seed, DeviceProfile profile) {
      verbs = new FabricWorld(seed, profile, world.clock());
      east = provider(verbs, true);
      west = provider(verbs, false);
      server =
          world.server(
              s ->
                  s.standingLandings(COUNT, BYTES)
                      .onSession(accepted -> accepted.objects().onPush(this))
                      .upgrades(new SteppedUpgrade(west, verbs)));
      VerbenaClient client = world.client(s -> s.upgrades(new SteppedUpgrade(east, verbs)));
      session = client.session(world.address());
    }

    private RdmaUpgradeProvider provider(FabricWorld fabric, boolean eastern) {
      return new RdmaUpgradeProvider(
          new SteppedVerbs(eastern ? fabric.east : fabric.west, fabric),
          RdmaSettings.DEFAULT,
          world.clock());
    }

    @Override
    public @Nullable Landing offered(Offer offer) {
      return refuses ? null : Landing.pooled(offer.length());
    }

    @Override
    public void received(Offer offer, Received received) {
      byte[] bytes = received.memory().toArray(ValueLayout.JAVA_BYTE);
      assertThat(taken.put(offer.name(), bytes)).as("before").isNull();
      received.close();
    }

    Push push(int length) {
      byte[] bytes = new byte[length];
      new Random(pushes).nextBytes(bytes);
      MemorySegment memory = arena.allocate(length);
      memory.copyFrom(MemorySegment.ofArray(bytes));
      String name = "push " + ++pushes;
      return new Push(name, bytes, session.objects().push(name, Source.of(memory)));
    }

    void assertArrived(Push push) {
      CompletableFuture<Received> outcome = push.transfer.result().toCompletableFuture();
      world.runUntil(outcome::isDone);
      outcome.join();
      world.runUntil(() -> taken.containsKey(push.name)); // where its link died, a while later
      assertThat(taken.get(push.name)).isEqualTo(push.bytes);
    }

    void upgraded() {
      assertArrived(push(10));
      world.runUntil(() -> session.path().link().equals("rdma"));
      world.runUntil(() -> openBytes() == (long) COUNT * BYTES);
      world.pass(Duration.ofMillis(20)); // until the client has heard of them
    }

    long openBytes() {
      return west.counters().openBytes();
    }

    /** Returns how often the server has attached memory. */
    long attached() {
      RdmaCounters.Snapshot counts = west.counters();
      return counts.cacheHits() + counts.cacheMisses();
    }

    @Override
    public void close() {
      session.close();
      world.pass(Duration.ofMillis(100));
      assertThat(server.bulkStats().memoryInUse()).as("pooled memory in use").isZero();
      assertThat(server.bulkStats().quarantined()).as("quarantined").isZero();
      world.close();
      assertThat(east.pinnedBytes() + west.pinnedBytes()).as("registered bytes left").isZero();
      arena.close();
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Push(String name, byte[] bytes, Transfer transfer) {}

  private static World world(DeviceProfile profile) {
    return new World(Seed.random("landings that stand over a fabric").nextLong(), profile);
  }

  @ParameterizedTest
  @EnumSource(Windows.class)
  void nothingIsOpenedOrClosedForAnObjectThatFits(Windows windows) {
    try (World world = world(DeviceProfile.full().withWindows(windows))) {
      world.upgraded();
      long before = world.attached();
      long landed = world.server.bulkStats().landedAtOnce();
      for (int i = 0; i < 50; i++) {
        Push push = world.push(BYTES - 1000 * i);
        CompletableFuture<?> outcome = push.transfer.result().toCompletableFuture();
        while (!outcome.isDone()) {
          world.world.step();
          world.world.runHandlers();
          world.world.clock().advance(Duration.ofNanos(10_000));
          assertThat(world.openBytes()).isEqualTo((long) COUNT * BYTES);
          assertThat(world.west.counters().quarantinedBytes()).isZero();
        }
        world.assertArrived(push);
      }
      assertThat(world.attached()).as("memory attached by the server").isEqualTo(before);
      assertThat(world.server.bulkStats().landedAtOnce()).isEqualTo(landed + 50);
      world.assertArrived(world.push(BYTES + 1));
      assertThat(world.attached()).as("for one that does not fit").isEqualTo(before + 1);
    }
  }

  @Test
  void refusedAndCancelledPushesHaveTheirLandingsFencedAndOthersOpened() {
    try (World world = world(DeviceProfile.full())) {
      world.upgraded();
      Random random = Seed.random("cancelled pushes");
      for (int i = 0; i < 40; i++) {
        world.refuses = i % 2 == 0;
        Push push = world.push(BYTES);
        for (int steps = random.nextInt(40); steps > 0; steps--) {
          world.world.step();
          world.world.runHandlers();
        }
        push.transfer.cancel();
        CompletableFuture<?> outcome = push.transfer.result().toCompletableFuture();
        world.world.runUntil(outcome::isDone);
      }
      world.refuses = false;
      world.world.runUntil(
          () ->
              world.openBytes() == (long) COUNT * BYTES
                  && world.west.counters().quarantinedBytes() == 0);
      for (int i = 0; i < 3 * COUNT; i++) {
        world.assertArrived(world.push(BYTES));
      }
      assertThat(world.session.path().link()).isEqualTo("rdma");
      assertThat(world.east.counters().linksOpened()).as("one link all the time").isEqualTo(1);
      assertThat(world.west.counters().brokenRules()).isZero();
    }
  }

  @Test
  void whateverDiesWhenPushesArriveOnceAndWhole() {
    Random random = Seed.random("links die under landings that stand");
    for (int round = 0; round < 6; round++) {
      try (World world = new World(random.nextLong(), DeviceProfile.full())) {
        world.upgraded();
        List<Push> all = new ArrayList<>();
        for (int loss = 0; loss < 6; loss++) {
          for (int i = random.nextInt(2 * COUNT); i > 0; i--) {
            all.add(world.push(1 + random.nextInt(BYTES + BYTES / 2)));
          }
          for (int steps = random.nextInt(60); steps > 0; steps--) {
            world.world.step();
            world.world.runHandlers();
          }
          switch (random.nextInt(3)) {
            case 0 -> {
              world.verbs.fabric.cut(world.verbs.east, world.verbs.west);
              world.world.pass(Duration.ofSeconds(2));
              world.verbs.fabric.heal(world.verbs.east, world.verbs.west);
            }
            case 1 -> {
              world.verbs.west.removeDevice();
              world.world.pass(Duration.ofMillis(random.nextInt(300)));
              world.verbs.west.restoreDevice();
            }
            default -> world.world.network().drop(URI.create(world.world.address()), "by the test");
          }
        }
        all.forEach(world::assertArrived);
        world.world.runUntil(() -> world.session.path().link().equals("rdma"));
        world.assertArrived(world.push(BYTES));
      }
    }
  }
}
