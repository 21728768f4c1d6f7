package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.link.BulkPort;
import io.verbena.link.BulkRegion;
import io.verbena.link.BulkTarget;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.link.MemoryLife;
import io.verbena.link.RemoteTarget;
import io.verbena.link.SendResult;
import io.verbena.testkit.LinkEnd;
import io.verbena.testkit.Seed;
import io.verbena.testkit.SteppedLinks;
import io.verbena.verbs.ext.SendOpcode;
import io.verbena.verbs.fabric.DeviceBehaviour;
import io.verbena.verbs.fabric.DeviceLimit;
import io.verbena.verbs.fabric.DeviceProfile;
import io.verbena.verbs.fabric.DeviceProfile.Windows;
import io.verbena.verbs.fabric.Personality;
import io.verbena.verbs.fabric.RequestWatcher;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What drivers of adapters do otherwise than Soft-RoCE and siw, by the source of rdma-core and
 * Linux. {@link FabricBulkContractTest} has what they do otherwise with memory.
 */
final class OtherDevicesTest {
  private static final LinkOptions OPTIONS = LinkOptions.of(64 << 10, Duration.ofSeconds(2), null);

  private FabricLinkHarness harness;
  private SteppedLinks links;

  @SuppressWarnings("NullAway.Init") // by open
  OtherDevicesTest() {}

  private SteppedLinks.Pair open(DeviceProfile profile) throws LinkException {
    harness = new FabricLinkHarness(Seed.random("other devices").nextLong(), profile);
    links = new SteppedLinks(harness, OPTIONS, OPTIONS);
    return links.open();
  }

  private void framesArrive(SteppedLinks.Pair pair) throws LinkException {
    for (int bytes : new int[] {1, 40, 90, 250, 2000}) {
      pair.client().sendNow(new byte[bytes]);
      pair.server().sendNow(new byte[bytes]);
    }
    links.stepUntil(
        "the frames",
        () ->
            pair.server().heard().frames().size() == 5
                && pair.client().heard().frames().size() == 5);
  }

  @AfterEach
  void closeAndLeaveNothing() {
    links.close();
    harness.close();
  }

  /** As on hns, where no error tells it. */
  @ParameterizedTest
  @ValueSource(ints = {0, 32, 64})
  void anInlineLengthThatTheDeviceLowersIsNotExceeded(int granted) throws LinkException {
    framesArrive(open(DeviceProfile.full().withMaxInline(granted).loweringInline()));
  }

  /** As on irdma (101 bytes) and bnxt_re (96). */
  @Test
  void anInlineLengthThatTheDeviceRefusesIsLowered() throws LinkException {
    framesArrive(open(DeviceProfile.full().withMaxInline(101)));
  }

  /** As on Intel X722. */
  @Test
  void noMorePiecesAreAskedForThanTheDeviceHas() throws LinkException {
    framesArrive(open(DeviceProfile.full().withMaxSges(3)));
  }

  /** As on bnxt_re: registrations are open to peers instead, so no link shares its domain. */
  @Test
  void withoutWindowsWhateverTheKernelReportsLinksShareNothing() throws LinkException {
    SteppedLinks.Pair pair = open(DeviceProfile.full().withWindows(Windows.REPORTED));
    framesArrive(pair);
    write(pair, 4096);
  }

  /** As on Linux before 5.1. */
  @Test
  void aLinkOpensThoughTheKernelSetsNoAckTimeouts() throws LinkException {
    harness = new FabricLinkHarness(Seed.random("other kernels").nextLong(), DeviceProfile.full());
    harness.world.east.takeAckTimeouts();
    harness.world.west.takeAckTimeouts();
    links = new SteppedLinks(harness, OPTIONS, OPTIONS);
    framesArrive(links.open());
  }

  /** Soft-RoCE interrupts nobody; an adapter interrupts a processor for each vector. */
  @Test
  void loopsTakeTurnsWithTheVectorsOfADevice() throws LinkException {
    SteppedLinks.Pair _ = open(DeviceProfile.full());
    try (SteppedLinks others = new SteppedLinks(harness, OPTIONS, OPTIONS)) {
      SteppedLinks.Pair _ = others.open();
      assertThat(harness.world.east.vectors()).hasSize(2);
      assertThat(harness.world.west.vectors()).hasSize(2);
    }
  }

  /**
   * By their source, drivers refuse what is posted in ERR, flush late or never, or accept it all.
   */
  @ParameterizedTest
  @MethodSource("io.verbena.rdma.Adapters#all")
  void aLinkIsDrainedSoonWhateverADeviceDoesInErr(Personality adapter) throws LinkException {
    SteppedLinks.Pair pair = open(adapter.profile());
    boolean loses = adapter == Personality.INLINE_LIAR;
    if (!loses) {
      framesArrive(pair);
    }
    long before = harness.world.nanoTime();
    pair.client().link().close();
    links.stepUntil("both ends to close", () -> links.openCount() == 0);
    assertThat(Duration.ofNanos(harness.world.nanoTime() - before))
        .isLessThan(Duration.ofMillis(500));
    assertThat(harness.east.counters().undrained() + harness.west.counters().undrained()).isZero();
  }

  /**
   * An emulated device on a busy machine flushes for longer than a device may take that does
   * nothing, but not for ever.
   */
  @ParameterizedTest
  @CsvSource({"100, false", "320, true"})
  void aDeviceThatFlushesSlowlyIsWaitedForAsLongAsItGoesOn(int receives, boolean givenUp)
      throws LinkException {
    DeviceProfile slow = Personality.SIW.profile().with(DeviceBehaviour.FLUSHES_SLOWLY);
    RdmaSettings settings =
        RdmaSettings.DEFAULT.withCredits(receives).withGuaranteedCredits(receives);
    harness = new FabricLinkHarness(Seed.random("slow flushes").nextLong(), slow, settings);
    links = new SteppedLinks(harness, OPTIONS, OPTIONS);
    SteppedLinks.Pair pair = links.open();
    framesArrive(pair);
    long before = harness.world.nanoTime();
    pair.client().link().close();
    links.stepUntil("both ends to close", () -> links.openCount() == 0);
    assertThat(Duration.ofNanos(harness.world.nanoTime() - before))
        .isBetween(Duration.ofSeconds(9), Duration.ofSeconds(40));
    long undrained = harness.east.counters().undrained() + harness.west.counters().undrained();
    assertThat(undrained).isEqualTo(givenUp ? 2 : 0);
  }

  /** One that has stopped is given up long before one that goes on. */
  @Test
  void aDeviceThatFlushesNothingIsSoonGivenUp() throws LinkException {
    SteppedLinks.Pair pair = open(DeviceProfile.full().with(DeviceBehaviour.NEVER_FLUSHES));
    framesArrive(pair);
    long before = harness.world.nanoTime();
    pair.client().link().close();
    links.stepUntil("both ends to close", () -> links.openCount() == 0);
    assertThat(Duration.ofNanos(harness.world.nanoTime() - before))
        .isBetween(Duration.ofSeconds(3), Duration.ofSeconds(8));
    assertThat(harness.east.counters().undrained() + harness.west.counters().undrained())
        .isEqualTo(2);
  }

  /** As MPA orders it: whoever has something to say first, the end that connected begins. */
  @Test
  void theEndThatAcceptedMayHaveTheFirstFrame() throws LinkException {
    SteppedLinks.Pair pair = open(Personality.MPA_ORDER.profile());
    pair.server().sendNow(new byte[100]);
    links.stepUntil("the frame", () -> pair.client().heard().frames().size() == 1);
    framesBack(pair);
  }

  private void framesBack(SteppedLinks.Pair pair) {
    pair.client().sendNow(new byte[100]);
    links.stepUntil("the answer", () -> pair.server().heard().frames().size() == 1);
  }

  /** Alibaba's adapter has them, although others of its network do not. */
  @ParameterizedTest
  @CsvSource({"ERDMA_IWARP, true", "ERDMA_ROCE, true", "IRDMA_IWARP, false"})
  void immediatesAreUsedWhereADeviceHasThem(Personality adapter, boolean has) throws LinkException {
    SteppedLinks.Pair pair = open(adapter.profile());
    int[] posted = new int[1];
    harness.world.east.watch(
        new RequestWatcher() {
          @Override
          public void carriedOut(int opcode, long bytes) {}

          @Override
          public void posted(int opcode) {
            posted[0] += opcode == SendOpcode.RDMA_WRITE_WITH_IMM ? 1 : 0;
          }
        });
    write(pair, 4096);
    assertThat(posted[0]).isEqualTo(has ? 1 : 0);
  }

  /** A Send that tells a window's key does not overtake the bind, where devices let it. */
  @Test
  void whoeverIsToldOfMemoryMayWriteThere() throws LinkException {
    SteppedLinks.Pair pair = open(Personality.BINDS_BEHIND.profile());
    for (int i = 0; i < 20; i++) {
      write(pair, 4096);
    }
    assertThat(pair.client().heard().isClosed()).isFalse();
  }

  /** What one end's device lacks, the other's does without. */
  @ParameterizedTest
  @CsvSource({
    "MLX5, MANA",
    "MANA, MLX5",
    "MLX5, IRDMA_ROCE",
    "IONIC, BNXT",
    "MLX4, IRDMA_GEN3",
    "HNS, PVRDMA",
    "ERDMA_ROCE, RXE",
    "OCRDMA, QEDR_ROCE",
    "SIW, ERDMA_IWARP",
    "ERDMA_IWARP, CXGB4",
    "IRDMA_IWARP, SIW",
    "QEDR_IWARP, MPA_ORDER",
    "SCARCE, MLX5",
    "READS_1, READS_256"
  })
  void devicesOfDifferentDriversAgree(Personality client, Personality server) throws LinkException {
    long seed = Seed.random("different devices").nextLong();
    harness =
        new FabricLinkHarness(seed, client.profile(), server.profile(), FabricLinkHarness.SETTINGS);
    links = new SteppedLinks(harness, OPTIONS, OPTIONS);
    SteppedLinks.Pair pair = links.open();
    framesArrive(pair);
    write(pair.client(), pair.server(), 100_000);
    write(pair.server(), pair.client(), 100_000);
    pair.client().link().close();
    links.stepUntil("both ends to close", () -> links.openCount() == 0);
    assertThat(harness.east.counters().undrained() + harness.west.counters().undrained()).isZero();
    assertThat(harness.east.counters().brokenRules() + harness.west.counters().brokenRules())
        .isZero();
  }

  /** Where there are few keys, what cannot be registered is refused alone. */
  @Test
  void memoryForWhichTheDeviceHasNoRegionIsRefusedAlone() throws LinkException {
    SteppedLinks.Pair pair = open(Personality.MLX4.profile().with(DeviceLimit.REGIONS, 8));
    framesArrive(pair);
    BulkPort there = Objects.requireNonNull(pair.server().link().bulk());
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 9; i++) {
                BulkTarget _ = there.open(region(there, 4096), 0, 4096, _ -> {});
              }
            })
        .isInstanceOf(LinkException.class)
        .hasMessageContaining("ENOMEM");
    assertThat(pair.server().heard().isClosed()).isFalse();
    pair.client().sendNow(new byte[10]);
    links.stepUntil("the frame", () -> pair.server().heard().frames().size() == 6);
  }

  private void write(SteppedLinks.Pair pair, int length) throws LinkException {
    write(pair.client(), pair.server(), length);
  }

  /** One end exposes memory and says so, and the other writes there. */
  private void write(LinkEnd from, LinkEnd to, int length) throws LinkException {
    BulkPort there = Objects.requireNonNull(to.link().bulk());
    BulkPort here = Objects.requireNonNull(from.link().bulk());
    long[] landed = new long[1];
    BulkTarget target = there.open(region(there, length), 0, length, upTo -> landed[0] = upTo);
    int frames = from.heard().frames().size();
    to.sendNow(target.advertisement());
    links.stepUntil("the word", () -> from.heard().frames().size() > frames);
    RemoteTarget remote = here.remote(ByteBuffer.wrap(target.advertisement()));
    here.write(remote, 0, region(here, length), 0, length, true, () -> {});
    from.link().flush();
    links.stepUntil("the bytes", () -> landed[0] == length);
  }

  private static BulkRegion region(BulkPort port, int length) throws LinkException {
    return port.attach(Arena.ofAuto().allocate(length, 4096), MemoryLife.HELD);
  }

  /** A Send to a peer that closes at once arrives, also over TCP. */
  @ParameterizedTest
  @MethodSource("io.verbena.rdma.Adapters#all")
  void whatWasSentBeforeALinkIsClosedArrives(Personality adapter) throws LinkException {
    SteppedLinks.Pair pair = open(adapter.profile());
    if (adapter == Personality.INLINE_LIAR) {
      pair = afterALinkWasLost(pair);
    }
    SteppedLinks.Pair last = pair;
    for (int i = 0; i < 5; i++) {
      last.client().sendNow(new byte[1 + 500 * i]);
    }
    last.client().link().close();
    links.stepUntil("the end", () -> last.server().heard().isClosed());
    assertThat(last.server().heard().frames()).hasSize(5);
    assertThat(last.server().heard().closedReason()).isEqualTo("the peer closed the link");
    links.stepUntil("both ends to close", () -> links.openCount() == 0);
  }

  /** A blocked sender that has nothing under way asks the peer's device by an empty WRITE. */
  @ParameterizedTest
  @MethodSource("io.verbena.rdma.Adapters#all")
  void aSlowReaderLosesNothing(Personality adapter) throws LinkException {
    SteppedLinks.Pair pair = open(adapter.profile());
    if (adapter == Personality.INLINE_LIAR) {
      pair = afterALinkWasLost(pair);
    }
    if (adapter == Personality.STRICT_KEYS) {
      blocked(pair, 300);
      links.stepUntil("the probe to fail", () -> links.openCount() == 0);
      pair = links.open();
    }
    int sent = blocked(pair, 300);
    pair.server().link().setReceiving(true);
    SteppedLinks.Pair last = pair;
    links.stepUntil("all to arrive", () -> last.server().heard().frames().size() == sent);
    assertThat(last.client().heard().isClosed()).isFalse();
    assertThat(last.server().heard().isClosed()).isFalse();
  }

  /** Fills a link whose reader stands still, and lets time pass; returns the frames sent. */
  private int blocked(SteppedLinks.Pair pair, int millis) {
    pair.server().link().setReceiving(false);
    int sent = 0;
    while (pair.client().send(new byte[2000]) == SendResult.SENT) {
      pair.client().link().flush();
      sent++;
      links.step();
    }
    long until = harness.world.nanoTime() + Duration.ofMillis(millis).toNanos();
    links.stepUntil("time to pass", () -> harness.world.nanoTime() >= until);
    return sent;
  }

  /** An unknown device that grants inline and ignores it costs the first link, and no other. */
  @Test
  void aDeviceThatIgnoresInlineIsFoundOut() throws LinkException {
    framesArrive(afterALinkWasLost(open(Personality.INLINE_LIAR.profile())));
  }

  private SteppedLinks.Pair afterALinkWasLost(SteppedLinks.Pair pair) throws LinkException {
    pair.client().sendNow(new byte[10]);
    links.stepUntil("the link to be lost", () -> links.openCount() == 0);
    SteppedLinks.Pair other = links.open(); // the server's device has its own to find out
    other.server().sendNow(new byte[10]);
    links.stepUntil("that link to be lost", () -> links.openCount() == 0);
    return links.open();
  }

  /** As on irdma in RoCE mode: what its device does not end, the link ends by itself. */
  @Test
  void aDeadPathIsNoticedThoughTheDeviceKeepsItsOwnTimers() throws LinkException {
    SteppedLinks.Pair pair = open(Personality.IRDMA_ROCE.profile());
    framesArrive(pair);
    harness.world.fabric.cut(harness.world.east, harness.world.west);
    long before = harness.world.nanoTime();
    pair.client().sendNow(new byte[10]);
    links.stepUntil("the end", () -> pair.client().heard().isClosed());
    assertThat(pair.client().heard().closedReason()).contains("has acknowledged nothing for");
    assertThat(Duration.ofNanos(harness.world.nanoTime() - before))
        .isLessThan(Duration.ofMillis(4_700));
  }

  /** Inline is found to the byte: 96 and 101 bytes are not 64. */
  @ParameterizedTest
  @ValueSource(ints = {48, 96, 101, 255})
  void anInlineLengthIsFoundToTheByte(int most) throws LinkException {
    framesArrive(open(DeviceProfile.full().withMaxInline(most)));
    links.settle(); // a send that has completed proves that inline works
    long[] longest = new long[1];
    harness.world.east.watch(
        new RequestWatcher() {
          @Override
          public void carriedOut(int opcode, long bytes) {}

          @Override
          public void postedInline(long bytes) {
            longest[0] = Math.max(longest[0], bytes);
          }
        });
    SteppedLinks.Pair pair = links.open();
    int header = FabricLinkHarness.SETTINGS.slotBytes() - harness.maxFrameBytes();
    pair.client().sendNow(new byte[most - header]);
    links.stepUntil("the frame", () -> pair.server().heard().frames().size() == 1);
    assertThat(longest[0]).isEqualTo(most);
  }

  /** A window that is made and cannot be bound is found out by the first transfer. */
  @Test
  void aDeviceThatRefusesBindsIsOpenedByRegistrationsFromTheNextLinkOn() throws LinkException {
    SteppedLinks.Pair pair = open(Personality.MANA_WINDOWS.profile());
    try (Arena arena = Arena.ofShared()) {
      expose(pair, arena.allocate(8192, 4096));
      links.stepUntil("the link to be lost", () -> links.openCount() == 0);
      SteppedLinks.Pair next = links.open();
      BulkTarget target = expose(next, arena.allocate(8192, 4096));
      framesArrive(next);
      boolean[] fenced = new boolean[1];
      target.close(() -> fenced[0] = true);
      links.stepUntil("the fence", () -> fenced[0]);
    }
  }

  private static BulkTarget expose(SteppedLinks.Pair pair, MemorySegment memory)
      throws LinkException {
    return Objects.requireNonNull(pair.server().link().bulk()).expose(memory, true, true);
  }

  /** One that reports shared receives and makes none: links have their own. */
  @Test
  void sharedReceivesThatAreReportedAndRefusedAreDoneWithout() throws LinkException {
    SteppedLinks.Pair first = open(Personality.SRQ_LIAR.profile());
    framesArrive(first);
    framesArrive(links.open());
  }

  /** Regions of a device without READs are read by calls. */
  @ParameterizedTest
  @EnumSource(names = {"READS_0", "READS_256"})
  void withoutReadsNoMemoryIsReadByTheDevice(Personality adapter) throws LinkException {
    SteppedLinks.Pair pair = open(adapter.profile());
    framesArrive(pair);
    assertThat(Objects.requireNonNull(pair.client().link().bulk()).isOneSided()).isFalse();
  }

  /** Few domains: a link more than there are is refused with a reason, and the others stay. */
  @Test
  void aLinkForWhichTheDeviceHasNoDomainIsRefusedAlone() throws LinkException {
    SteppedLinks.Pair pair =
        open(
            Personality.MANA.profile().with(DeviceLimit.DOMAINS, 2)); // one is for the cost of pins
    links.open();
    LinkException why =
        Objects.requireNonNull(links.connect(links.listening().address()).failure());
    assertThat(why).hasMessageContaining("ibv_alloc_pd failed with ENOMEM");
    framesArrive(pair);
  }

  /** AWS's adapter has no such queue pairs. */
  @Test
  void aDeviceWithoutQueuePairsHasNoLinks() throws LinkException {
    harness = new FabricLinkHarness(Seed.random("efa").nextLong(), Personality.EFA.profile());
    links = new SteppedLinks(harness, OPTIONS, OPTIONS);
    assertThat(links.connect(links.listening().address()).failure())
        .hasMessageContaining("no reliable connected queue pairs");
  }

  /** A peer that lives and does not answer holds up no end. */
  @Test
  void aPeerThatDoesNotAnswerADisconnectHoldsUpNothing() throws LinkException {
    SteppedLinks.Pair pair = open(DeviceProfile.full());
    framesArrive(pair);
    long before = harness.world.nanoTime();
    pair.client().link().close();
    while (!pair.client().heard().isClosed()) { // the server's program stands still
      harness.world.step();
      links.client().poll();
      assertThat(harness.world.nanoTime() - before).isLessThan(6_000_000_000L);
    }
    assertThat(Duration.ofNanos(harness.world.nanoTime() - before))
        .isLessThan(Duration.ofMillis(500));
    assertThat(pair.server().heard().isClosed()).isFalse();
    links.stepUntil("the server to hear", () -> pair.server().heard().isClosed());
  }

  /** On iWARP the last bytes may not have arrived; the wait for the peer's answer has a limit. */
  @Test
  void onIwarpAPeerThatDoesNotAnswerIsWaitedForOnlySoLong() throws LinkException {
    SteppedLinks.Pair pair = open(Personality.IWARP_EARLY.profile());
    framesArrive(pair);
    long before = harness.world.nanoTime();
    pair.client().link().close();
    while (!pair.client().heard().isClosed()) {
      harness.world.step();
      links.client().poll();
      assertThat(harness.world.nanoTime() - before).isLessThan(9_000_000_000L);
    }
    links.stepUntil("the server to hear", () -> pair.server().heard().isClosed());
  }
}
