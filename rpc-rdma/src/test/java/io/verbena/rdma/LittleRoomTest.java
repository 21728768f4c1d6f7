package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.TransferException;
import io.verbena.api.region.RegionRef;
import io.verbena.api.region.Regions;
import io.verbena.verbs.fabric.DeviceProfile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Objects that would need more registered memory than there may be. */
final class LittleRoomTest {
  private static final long MOST_PINNED = 72L << 20;
  private static final long OBJECT_BYTES = 20L << 20;
  private static final int OBJECTS = 8; // 160 MiB on each end

  /** A fetch under way, and where it lands. */
  private record Fetch(MemorySegment into, CompletableFuture<Received> outcome) {}

  private static MemorySegment object(RdmaWorld w) {
    MemorySegment object = w.memory(OBJECT_BYTES);
    for (long at = 0; at < object.byteSize(); at += 4096) {
      object.set(ValueLayout.JAVA_LONG, at, at);
    }
    return object;
  }

  private static Fetch fetch(RdmaWorld w, MemorySegment object) {
    MemorySegment into = w.memory(object.byteSize());
    Published published = w.server.publish(Source.of(object), Duration.ofMinutes(1));
    return new Fetch(
        into,
        w.session
            .objects()
            .fetch(published.ref(), Landing.of(into))
            .result()
            .toCompletableFuture());
  }

  private static List<Fetch> fetchAll(RdmaWorld w) {
    List<Fetch> fetches = new ArrayList<>();
    for (int i = 0; i < OBJECTS; i++) {
      fetches.add(fetch(w, object(w)));
    }
    return fetches;
  }

  private static void assertAllArrive(RdmaWorld w, List<Fetch> fetches) {
    MemorySegment object = object(w);
    for (Fetch fetch : fetches) {
      w.world.runUntil(fetch.outcome::isDone);
      fetch.outcome.join().close();
      assertThat(fetch.into.mismatch(object)).isEqualTo(-1);
    }
    assertThat(w.session.path().link()).isEqualTo("rdma");
    assertThat(w.east.counters().linksOpened()).as("one link all the time").isEqualTo(1);
  }

  @Test
  void moreThanMayBePinnedAtOnceArrivesByAndBy() {
    try (RdmaWorld w = RdmaWorld.pinning(MOST_PINNED).upgraded()) {
      assertAllArrive(w, fetchAll(w));
    }
  }

  @Test
  void moreThanMayBePinnedAtOnceGoesOnThoughTheSessionIsUpgraded() {
    try (RdmaWorld w = RdmaWorld.pinning(MOST_PINNED)) {
      List<Fetch> fetches = fetchAll(w);
      for (int i = 0; i < 100_000 && !w.session.path().link().equals("rdma"); i++) {
        w.step();
      }
      assertThat(fetches).as("not at an end yet").noneMatch(fetch -> fetch.outcome.isDone());
      assertAllArrive(w, fetches);
    }
  }

  /** Which was opened in long pieces on the link before. */
  @Test
  void whatIsLongerThanMayBePinnedGoesOnThoughTheSessionIsUpgraded() {
    try (RdmaWorld w = RdmaWorld.pinning(OBJECT_BYTES)) {
      assertArrivesThoughUpgradedMeanwhile(w, 5 * OBJECT_BYTES);
    }
  }

  /**
   * The part of a long piece that has arrived needs no room. How much that is differs: a device is
   * opened on a thread.
   */
  @Test
  void whatIsMissingIsAllThatIsPinned() {
    for (int i = 0; i < 4; i++) {
      try (RdmaWorld w = RdmaWorld.pinning(4L << 20)) {
        assertArrivesThoughUpgradedMeanwhile(w, 5 * OBJECT_BYTES);
      }
    }
  }

  private static void assertArrivesThoughUpgradedMeanwhile(RdmaWorld w, long bytes) {
    MemorySegment object = w.memory(bytes);
    object.fill((byte) 7);
    Fetch fetch = fetch(w, object);
    for (int i = 0; i < 100_000 && !w.session.path().link().equals("rdma"); i++) {
      w.step();
    }
    assertThat(fetch.outcome).as("not at an end yet").isNotDone();
    w.world.runUntil(fetch.outcome::isDone);
    fetch.outcome.join().close();
    assertThat(fetch.into.mismatch(object)).isEqualTo(-1);
    assertThat(w.session.path().link()).isEqualTo("rdma");
  }

  /** Whose landing is known only when its handler has been asked. */
  @Test
  void aPushThatIsLongerThanMayBePinnedArrivesInShorterPieces() {
    try (RdmaWorld w = RdmaWorld.pinning(OBJECT_BYTES - 1).upgraded()) {
      MemorySegment object = object(w);
      MemorySegment into = w.memory(OBJECT_BYTES);
      w.accepted.objects().onPush(offer -> Landing.of(into));
      w.push(w.session, Source.of(object));
      assertThat(into.mismatch(object)).isEqualTo(-1);
      assertThat(w.session.path().link()).isEqualTo("rdma");
    }
  }

  @Test
  void aValueOfACallThatIsLongerThanMayBePinnedArrivesInShorterPieces() {
    try (RdmaWorld w = RdmaWorld.pinning(OBJECT_BYTES - 1).upgraded()) {
      MemorySegment object = object(w);
      w.accepted.serve(Segments.bind());
      assertThat(w.world.result(Segments.call(w.session, object)).mismatch(object)).isEqualTo(-1);
      assertThat(w.session.path().link()).isEqualTo("rdma");
    }
  }

  /** Whose long blocks find no room, and short ones do. */
  @Test
  void anArrayOfACallArrivesThroughShorterPiecesOfItsBlocks() {
    try (RdmaWorld w = RdmaWorld.pinning(7L << 20).upgraded()) {
      byte[] array = new byte[(int) OBJECT_BYTES];
      new Random(1).nextBytes(array);
      w.accepted.serve(Bytes.bind());
      assertThat(w.world.result(Bytes.call(w.session, array))).isEqualTo(array);
      assertThat(w.session.path().link()).isEqualTo("rdma");
    }
  }

  @Test
  void whatFindsNoRoomForTenSecondsFails() {
    long pools;
    try (RdmaWorld w = new RdmaWorld(DeviceProfile.full()).upgraded()) {
      pools = Math.max(w.east.pinnedBytes(), w.west.pinnedBytes());
    }
    DeviceProfile full = DeviceProfile.full().withMemlock(pools + (512 << 10));
    try (RdmaWorld w = new RdmaWorld(full).upgraded()) {
      CompletableFuture<Received> outcome = fetch(w, object(w)).outcome;
      w.world.pass(Duration.ofSeconds(9));
      assertThat(outcome).isNotDone();
      w.world.pass(Duration.ofSeconds(2));
      assertThat(outcome).isDone();
      TransferException failure = (TransferException) outcome.exceptionNow();
      assertThat(failure.status()).isEqualTo(RpcStatus.RESOURCE_EXHAUSTED);
      assertThat(failure).hasMessageContaining("ulimit -l");
      assertThat(w.session.path().link()).isEqualTo("rdma");
    }
  }

  /** Two registrations of it would be more than there may be. */
  @ParameterizedTest
  @EnumSource
  void aRegionIsPinnedOnceWhateverOpensIt(DeviceProfile.Windows windows) {
    RdmaSettings settings = RdmaSettings.DEFAULT.withMaxPinnedBytes(MOST_PINNED);
    DeviceProfile device = DeviceProfile.full().withWindows(windows);
    try (RdmaWorld w = new RdmaWorld(1, device, settings, s -> {}, c -> {}).upgraded()) {
      RegionRef region =
          w.accepted
              .regions()
              .expose(w.memory(MOST_PINNED / 2), Regions.READ, Duration.ofHours(1))
              .ref();
      for (int i = 0; i < 4; i++) {
        CompletableFuture<Void> get =
            w.session.regions().get(region, 0, MemorySegment.ofArray(new byte[8]));
        w.world.runUntil(get::isDone);
        w.world.pass(Duration.ofMillis(5));
      }
      assertThat(w.verbs.east.counts().others()).as("read by the device").isPositive();
      assertThat(w.west.pinnedBytes()).isBetween(MOST_PINNED / 2, MOST_PINNED);
    }
  }
}
