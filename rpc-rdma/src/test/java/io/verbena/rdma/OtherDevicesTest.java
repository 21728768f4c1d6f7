package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.testkit.Seed;
import io.verbena.testkit.SteppedLinks;
import io.verbena.verbs.fabric.DeviceProfile;
import io.verbena.verbs.fabric.DeviceProfile.Windows;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What drivers of adapters do otherwise than Soft-RoCE and siw, by the source of rdma-core and
 * Linux. {@link FabricBulkContractTest} has what they do otherwise with memory.
 */
final class OtherDevicesTest {
  private static final LinkOptions OPTIONS = new LinkOptions(64 << 10, Duration.ofSeconds(2), null);

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
    framesArrive(open(DeviceProfile.full().withWindows(Windows.REPORTED)));
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
}
