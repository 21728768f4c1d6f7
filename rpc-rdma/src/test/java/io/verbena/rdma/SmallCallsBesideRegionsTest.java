package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.region.RegionRef;
import io.verbena.api.region.Regions;
import io.verbena.testkit.Seed;
import io.verbena.verbs.ext.SendOpcode;
import io.verbena.verbs.fabric.DeviceProfile;
import io.verbena.verbs.fabric.RequestWatcher;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Small calls wait for no pipeline of long gets or puts, but for what is under way of it: a window.
 */
final class SmallCallsBesideRegionsTest {
  private static final int CALLS = 12;
  private static final int PIPELINE = 64;
  private static final int BYTES = 1 << 20;
  private static final long WINDOW = RdmaSettings.DEFAULT.bulkWindowBytes();

  /** By which its Send is known. */
  private static final String TEXT = "x".repeat(3000);

  /** The operations of the caller's device. */
  private static final class Carried implements RequestWatcher {
    long bytes;

    /** Of these, before the latest Send with the text. */
    long beforeText;

    @Override
    public void carriedOut(int opcode, long bytes) {
      if (opcode == SendOpcode.RDMA_READ || opcode == SendOpcode.RDMA_WRITE) {
        this.bytes += bytes;
      } else if (bytes >= TEXT.length()) {
        beforeText = this.bytes;
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aCallWaitsForTwoWindowsAtMost(boolean reads) {
    Random random = Seed.random("small calls beside regions");
    Carried carried = new Carried();
    try (RdmaWorld world =
        new RdmaWorld(
                random.nextLong(),
                DeviceProfile.full(),
                server -> server.serve(Echo.bind(text -> {})),
                client -> {})
            .upgraded()) {
      world.verbs.east.watch(carried);
      RegionRef ref =
          world
              .accepted
              .regions()
              .expose(world.memory(BYTES), Regions.READ | Regions.WRITE, Duration.ofHours(1))
              .ref();
      MemorySegment mine = world.memory(BYTES);
      Regions regions = world.session.regions().withTimeout(Duration.ofHours(1));
      for (int i = 0; i < 4; i++) {
        CompletableFuture<Void> get = regions.get(ref, 0, mine.asSlice(0, 8));
        world.world.runUntil(get::isDone);
        world.world.pass(Duration.ofMillis(5));
      }
      assertThat(carried.bytes).as("read by the device").isPositive();
      List<CompletableFuture<Void>> all = new ArrayList<>();
      for (int i = 0; i < PIPELINE; i++) {
        all.add(reads ? regions.get(ref, 0, mine) : regions.put(ref, 0, mine));
      }
      for (int i = 0; i < CALLS; i++) {
        for (int steps = random.nextInt(20); steps > 0; steps--) {
          world.step();
        }
        long atCall = carried.bytes;
        CompletableFuture<String> call = Echo.call(world.session, TEXT);
        while (!call.isDone()) {
          world.step();
        }
        assertThat(carried.beforeText - atCall)
            .as("bytes ahead of call %d in %s", i, world.verbs.fabric)
            .isBetween(0L, 2 * WINDOW); // under way, and posted in the turn that takes the call
      }
      world.world.runUntil(() -> all.stream().allMatch(CompletableFuture::isDone));
      assertThat(all).noneMatch(CompletableFuture::isCompletedExceptionally);
      assertThat(carried.bytes).as("moved by the device").isGreaterThan((PIPELINE - 1L) * BYTES);
    }
  }
}
