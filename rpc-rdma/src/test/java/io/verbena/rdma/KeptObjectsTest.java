package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.verbena.link.BulkPort;
import io.verbena.link.BulkRegion;
import io.verbena.link.BulkTarget;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.link.MemoryLife;
import io.verbena.testkit.Seed;
import io.verbena.testkit.SteppedLinks;
import io.verbena.verbs.fabric.DeviceProfile;
import io.verbena.verbs.fabric.DeviceProfile.Windows;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A device that destroys nothing: what is lost with it for good comes back at once, what it may
 * still use once it is destroyed, and all of it is told once.
 */
final class KeptObjectsTest {
  private static final LinkOptions OPTIONS = LinkOptions.of(64 << 10, Duration.ofSeconds(2), null);
  private static final int BYTES = 1 << 20;
  private static final int LINKS = 3;

  private final Arena arena = Arena.ofShared();
  private final List<SteppedLinks.Pair> pairs = new ArrayList<>();
  private final List<BulkRegion> regions = new ArrayList<>();
  private final List<BulkTarget> targets = new ArrayList<>();
  private int fenced;
  private int lost;
  private FabricLinkHarness harness;
  private SteppedLinks links;
  private CapturedLog log;

  @SuppressWarnings("NullAway.Init") // by open
  KeptObjectsTest() {}

  /** Opens links, each with a landing in the east, and memory there that is idle. */
  private void open(Windows windows) throws LinkException {
    harness =
        new FabricLinkHarness(
            Seed.random("kept objects").nextLong(), DeviceProfile.full().withWindows(windows));
    links = new SteppedLinks(harness, OPTIONS, OPTIONS);
    for (int i = 0; i < LINKS; i++) {
      SteppedLinks.Pair pair = links.open();
      pairs.add(pair);
      BulkPort bulk = Objects.requireNonNull(pair.client().link().bulk());
      BulkRegion region = bulk.attach(arena.allocate(BYTES, 4096), MemoryLife.HELD);
      regions.add(region);
      targets.add(bulk.open(region, 0, BYTES / 2, upTo -> {}));
      bulk.attach(arena.allocate(BYTES, 4096), MemoryLife.HELD).release();
    }
    assertThat(harness.east.counters().cachedBytes()).isPositive();
    log = new CapturedLog("io.verbena.rdma", Level.WARN);
  }

  @AfterEach
  void close() {
    log.close();
    links.close();
    arena.close();
  }

  private void closeTargets() {
    targets.forEach(target -> target.close(() -> fenced++, () -> lost++));
  }

  private void awaitEnds() {
    closeTargets();
    links.stepUntil("the links to end", () -> pairs.stream().allMatch(KeptObjectsTest::isClosed));
    regions.forEach(BulkRegion::release);
  }

  private static boolean isClosed(SteppedLinks.Pair pair) {
    return pair.client().heard().isClosed();
  }

  private void assertNothingIsHeld() {
    RdmaCounters.Snapshot now = harness.east.counters();
    assertThat(harness.east.pinnedBytes()).as("registered").isZero();
    assertThat(now.cachedBytes()).as("idle").isZero();
    assertThat(now.openBytes()).as("open").isZero();
    assertThat(now.quarantinedBytes()).as("quarantined").isZero();
  }

  /** The kernel has destroyed everything with it, whatever the driver answers. */
  @ParameterizedTest
  @EnumSource(Windows.class)
  void ofARemovedDeviceNothingIsHeld(Windows windows) throws LinkException {
    open(windows);
    harness.world.east.keepObjects(true);
    harness.world.east.removeDevice();
    awaitEnds();
    assertThat(fenced).isEqualTo(LINKS);
    links.stepUntil("its memory to be free", () -> harness.east.pinnedBytes() == 0);
    assertNothingIsHeld();
    assertThat(log.take()).singleElement().asString().contains("EIO");
  }

  @ParameterizedTest
  @EnumSource(Windows.class)
  void ofADeviceThatWasGivenUpAllComesBackOnceItHeals(Windows windows) throws LinkException {
    open(windows);
    harness.world.east.keepObjects(true);
    harness.world.east.adapter().breakDown();
    awaitEnds();
    assertThat(lost).isEqualTo(LINKS);
    long until = harness.world.nanoTime() + Duration.ofSeconds(2).toNanos();
    links.stepUntil("time to pass", () -> harness.world.nanoTime() >= until);
    assertThat(harness.east.pinnedBytes()).isPositive();
    assertThat(harness.east.counters().quarantinedBytes()).isPositive();
    assertThat(log.take()).hasSize(LINKS + 2);
    harness.world.east.keepObjects(false);
    links.stepUntil("its memory to be free", () -> harness.east.pinnedBytes() == 0);
    assertNothingIsHeld();
    assertThat(harness.world.east.objects()).as("objects").isZero();
  }

  @Test
  void whatIsOpenByItselfAndStaysRegisteredIsNotFencedWhileItsLinkLives() throws LinkException {
    open(Windows.NONE);
    harness.world.east.keepObjects(true);
    awaitEnds();
    assertThat(fenced).isZero();
    assertThat(lost).isEqualTo(LINKS);
    harness.world.east.keepObjects(false);
    links.stepUntil("its memory to be free", () -> harness.east.pinnedBytes() == 0);
    assertNothingIsHeld();
  }
}
