package io.verbena.rdma;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.api.region.RegionPiece;
import io.verbena.api.region.RegionRef;
import io.verbena.api.region.Regions;
import io.verbena.testkit.Seed;
import io.verbena.verbs.ext.DeviceAttributes.Transport;
import io.verbena.verbs.fabric.DeviceLimit;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The pieces of a get are read in their order, although adapters read in any order. */
final class RegionOrderTest extends Adapters {
  private static final long FLAG = 0;
  private static final long DATA = 512;
  private static final int WORLDS = 4;

  /** A flag, and the data that was written before it. */
  private static final class Pair {
    final MemorySegment flag = MemorySegment.ofArray(new long[1]);
    final MemorySegment data = MemorySegment.ofArray(new long[1]);
    final CompletableFuture<Void> get;

    Pair(Regions regions, RegionRef ref) {
      get = regions.get(ref, List.of(new RegionPiece(FLAG, flag), new RegionPiece(DATA, data)));
    }
  }

  @Test
  void aFlagIsReadBeforeItsData() {
    assumeTrue(readsOneSided(), "regions are read by calls");
    long seed = Seed.random("pieces in their order").nextLong();
    for (int i = 0; i < WORLDS; i++) {
      reads(seed + i);
    }
  }

  /** Returns whether the device reads the memory of peers: librdmacm makes 0 of a depth of 256. */
  private static boolean readsOneSided() {
    return device().transport() != Transport.IWARP
        && (device().limit(DeviceLimit.READS) & 0xff) != 0;
  }

  private static void reads(long seed) {
    try (RdmaWorld world =
        new RdmaWorld(seed, device(), RdmaSettings.DEFAULT, server -> {}, client -> {})
            .upgraded()) {
      MemorySegment memory = world.memory(4096);
      RegionRef ref =
          world.accepted.regions().expose(memory, Regions.READ, Duration.ofHours(1)).ref();
      for (int i = 0; world.verbs.east.counts().others() == 0; i++) {
        assertThat(i).as("gets without a READ").isLessThan(1_000);
        CompletableFuture<Void> get = new Pair(world.session.regions(), ref).get;
        world.world.runUntil(get::isDone);
        world.world.pass(Duration.ofMillis(5));
      }
      List<Pair> pairs = new ArrayList<>();
      for (long value = 1; value <= 4000; value++) {
        if (value % 100 == 1) {
          for (int i = 0; i < 8; i++) {
            pairs.add(new Pair(world.session.regions(), ref));
          }
        }
        memory.set(JAVA_LONG, DATA, value);
        memory.set(JAVA_LONG, FLAG, value);
        world.world.step();
        world.world.runHandlers();
        world.world.clock().advance(Duration.ofNanos(500));
      }
      for (Pair pair : pairs) {
        world.world.runUntil(pair.get::isDone);
        pair.get.join();
        assertThat(pair.data.get(JAVA_LONG, 0))
            .as("seed %d, the data of flag %d", seed, pair.flag.get(JAVA_LONG, 0))
            .isGreaterThanOrEqualTo(pair.flag.get(JAVA_LONG, 0));
      }
      assertThat(world.verbs.east.counts().others()).isGreaterThan(pairs.size());
    }
  }
}
