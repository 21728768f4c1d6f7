package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.link.SendResult;
import io.verbena.link.UpgradeProvider.Availability;
import io.verbena.testkit.LinkEnd;
import io.verbena.testkit.Seed;
import io.verbena.testkit.SteppedLinks;
import io.verbena.verbs.ext.AsyncEvent;
import io.verbena.verbs.ext.DeviceAttributes.Transport;
import io.verbena.verbs.fabric.DeviceBehaviour;
import io.verbena.verbs.fabric.DeviceProfile;
import io.verbena.verbs.fabric.FabricHost;
import io.verbena.verbs.fabric.Personality;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** However a link ends, its end is told once, in time, and nothing comes after it or is left. */
final class FaultsTest extends Adapters {
  private static final LinkOptions OPTIONS = LinkOptions.of(64 << 10, Duration.ofSeconds(2), null);

  private FabricLinkHarness harness;
  private SteppedLinks links;
  private SteppedLinks.Pair pair;

  @SuppressWarnings("NullAway.Init") // by open
  FaultsTest() {}

  @BeforeParameterizedClassInvocation
  static void itsFirstLinkLives(Personality adapter) {
    assumeOfLinks(adapter);
  }

  @BeforeEach
  void open() throws LinkException {
    open(Seed.random("faults").nextLong(), device());
  }

  private void open(long seed, DeviceProfile profile) throws LinkException {
    harness = new FabricLinkHarness(seed, profile);
    links = new SteppedLinks(harness, OPTIONS, OPTIONS);
    pair = links.open();
  }

  @AfterEach
  void closeAndLeaveNothing() {
    links.close();
    harness.close();
  }

  private void awaitEnd(LinkEnd end) {
    links.stepUntil("the link to end", () -> end.heard().isClosed());
  }

  private void cut() {
    harness.world.fabric.cut(harness.world.east, harness.world.west);
  }

  @Test
  void aDeadPathIsNoticedWithinTheTimeThatTheAckTimeOutGives() {
    cut();
    long before = harness.world.nanoTime();
    pair.client().sendNow(new byte[100]);
    awaitEnd(pair.client());
    long took = harness.world.nanoTime() - before;
    boolean byDevice = !device().has(DeviceBehaviour.IGNORES_ACK_TIMEOUT);
    assertThat(pair.client().heard().closedReason())
        .contains(byDevice ? "did not acknowledge in time" : "has acknowledged nothing for");
    assertThat(Duration.ofNanos(took))
        .isBetween(Duration.ofMillis(900), Duration.ofMillis(byDevice ? 3_000 : 4_700));
    assertThat(pair.server().heard().frames()).isEmpty();
  }

  @Test
  void aDeadPathIsNoticedSoonerWhereTheAckTimeOutIsShorter() throws LinkException {
    closeAndLeaveNothing();
    RdmaSettings settings = RdmaSettings.DEFAULT.withAckTimeout(12);
    long seed = Seed.random("a short ACK time-out").nextLong();
    harness = new FabricLinkHarness(seed, device(), settings);
    links = new SteppedLinks(harness, OPTIONS, OPTIONS);
    pair = links.open();
    cut();
    long before = harness.world.nanoTime();
    pair.client().sendNow(new byte[100]);
    awaitEnd(pair.client());
    long took = harness.world.nanoTime() - before;
    int most = device().has(DeviceBehaviour.IGNORES_ACK_TIMEOUT) ? 900 : 400;
    assertThat(Duration.ofNanos(took)).isBetween(Duration.ofMillis(110), Duration.ofMillis(most));
  }

  @Test
  void aShortInterruptionIsNoEnd() {
    cut();
    pair.client().sendNow(new byte[100]);
    long until = harness.world.nanoTime() + Duration.ofMillis(300).toNanos();
    links.stepUntil("time to pass", () -> harness.world.nanoTime() >= until);
    harness.world.fabric.heal(harness.world.east, harness.world.west);
    links.stepUntil("the frame", () -> pair.server().heard().frames().size() == 1);
    assertThat(pair.client().heard().isClosed()).isFalse();
  }

  @Test
  void aRemovedDeviceEndsItsLinksAtOnceAndServesAgainWhenItIsBack() throws LinkException {
    pair.client().sendNow(new byte[100]);
    harness.world.east.removeDevice();
    awaitEnd(pair.client());
    assertThat(pair.client().heard().closedReason()).contains("was removed");
    assertThat(harness.east.availability())
        .isInstanceOfSatisfying(
            Availability.Unavailable.class,
            none -> assertThat(none.reason()).contains("no verbs device"));
    harness.world.east.restoreDevice();
    assertThat(harness.east.availability()).isInstanceOf(Availability.Available.class);
    SteppedLinks.Pair next = links.open();
    next.client().sendNow(new byte[1]);
    links.stepUntil("the frame", () -> next.server().heard().frames().size() == 1);
  }

  @Test
  void aRemovedDeviceEndsItsLinksThoughNoIdHearsOfTheRemoval() {
    long before = harness.world.nanoTime();
    harness.world.east.adapter().unplugUnheard();
    awaitEnd(pair.client());
    assertThat(pair.client().heard().closedReason()).contains("was removed");
    assertThat(Duration.ofNanos(harness.world.nanoTime() - before))
        .isLessThan(Duration.ofMillis(100));
    links.stepUntil("its memory to be free", () -> harness.east.pinnedBytes() == 0);
  }

  @Test
  void aDeviceThatCannotBePolledEndsItsLinksAtOnce() {
    harness.world.east.adapter().breakDown();
    long before = harness.world.nanoTime();
    awaitEnd(pair.client());
    assertThat(pair.client().heard().closedReason()).contains("was given up");
    awaitEnd(pair.server());
    long took = harness.world.nanoTime() - before;
    // The peer looks for events every 50 ms, and waits as long for what has arrived before.
    assertThat(Duration.ofNanos(took)).isLessThan(Duration.ofMillis(150));
  }

  /** Returns whether links share receives, and with them a domain that outlives them. */
  private static boolean sharesReceives() {
    return device().srq()
        && device().windows() == DeviceProfile.Windows.BOUNDED
        && !device().has(DeviceBehaviour.REFUSES_SHARED_RECEIVES);
  }

  /** Its requests would not complete, and whoever waits for them would wait for ever. */
  @ParameterizedTest
  @EnumSource(names = {"QP_FATAL", "CQ_ERR", "SRQ_ERR", "DEVICE_FATAL"})
  void whatADeviceReportsAsFailedEndsItsLinksAtOnceAndOthersFollow(AsyncEvent.Type what) {
    assumeTrue(what != AsyncEvent.Type.SRQ_ERR || sharesReceives());
    pair.client().sendNow(new byte[100]);
    harness.world.east.adapter().fail(what);
    long before = harness.world.nanoTime();
    awaitEnd(pair.client());
    assertThat(Duration.ofNanos(harness.world.nanoTime() - before))
        .isLessThan(Duration.ofMillis(200));
    assertThat(pair.client().heard().closedReason())
        .contains(what == AsyncEvent.Type.QP_FATAL ? "queue pair has failed" : what.name());
    awaitEnd(pair.server());
    SteppedLinks.Pair next = links.open();
    next.client().sendNow(new byte[1]);
    links.stepUntil("the frame", () -> next.server().heard().frames().size() == 1);
  }

  /** The device tells only the loop that asks first. */
  @ParameterizedTest
  @EnumSource(names = {"QP_FATAL", "CQ_ERR", "SRQ_ERR", "DEVICE_FATAL"})
  void whatADeviceReportsAsFailedIsToldToEachLoop(AsyncEvent.Type what) throws LinkException {
    assumeTrue(what != AsyncEvent.Type.SRQ_ERR || sharesReceives());
    SteppedLinks others = new SteppedLinks(harness, OPTIONS, OPTIONS);
    SteppedLinks.Pair other = others.open();
    harness.world.east.adapter().fail(what);
    awaitEnd(pair.client());
    others.stepUntil("the other loop's link to end", () -> other.client().heard().isClosed());
    assertThat(other.client().heard().closedReason())
        .isEqualTo(pair.client().heard().closedReason());
    others.close();
  }

  /** None stands on a device that was given up: nobody would read what arrives on it. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aDeviceThatBreaksAtAnyStepOfAnOpeningEndsEveryLink(boolean atServer) throws LinkException {
    long seed = Seed.random("a device that breaks while a link is opened").nextLong();
    boolean opened = false;
    for (int steps = 0; !opened; steps++) {
      closeAndLeaveNothing();
      open(seed + steps, device());
      SteppedLinks.Outcome next = links.startConnecting(links.listening().address(), OPTIONS);
      for (int i = 0; i < steps; i++) {
        links.step();
      }
      opened = next.isKnown();
      FabricHost broken = atServer ? harness.world.west : harness.world.east;
      broken.adapter().breakDown();
      String when = "every link to end, of a device that broke after " + steps + " steps";
      links.stepUntil(when, () -> next.isKnown() && links.openCount() == 0);
    }
  }

  @Test
  void everyQueuePairIsDrainedBeforeItsEndIsTold() throws LinkException {
    for (int i = 0; i < 20; i++) {
      pair.client().sendNow(new byte[2000]);
    }
    pair.client().link().abort("by the test");
    awaitEnd(pair.client());
    awaitEnd(pair.server());
    assertThat(harness.east.counters().undrained()).isZero();
    assertThat(harness.west.counters().undrained()).isZero();
  }

  private Duration closingTheClient() {
    long before = harness.world.nanoTime();
    links.client().close();
    return Duration.ofNanos(harness.world.nanoTime() - before);
  }

  /** Whether or not the device says when it takes no more receives; the peer gets the farewell. */
  @Test
  void aDriverIsClosedAsSoonAsItsFarewellsHaveArrived() throws LinkException {
    Random random = Seed.random("drivers that are closed");
    for (int round = 0; round < 8; round++) {
      closeAndLeaveNothing();
      open(random.nextLong(), device());
      // On iWARP only the peer shows that it has the farewell, and nobody polls it here.
      boolean iwarp = device().transport() == Transport.IWARP;
      assertThat(closingTheClient()).isLessThan(Duration.ofMillis(iwarp ? 3_100 : 40));
      links.stepUntil("the server to hear", () -> pair.server().heard().isClosed());
      assertThat(pair.server().heard().closedReason()).contains("the peer closed the link");
      assertThat(harness.east.pinnedBytes()).isZero();
    }
  }

  @Test
  void aDriverIsClosedInTimeThoughAPeerDoesNotAnswer() {
    cut();
    assertThat(closingTheClient()).isLessThan(Duration.ofMillis(3_100));
  }

  @Test
  void aRemovedDeviceThatNoLinkStandsOnIsLetGoOf() {
    assumeTrue(sharesReceives());
    pair.client().link().close();
    awaitEnd(pair.client());
    awaitEnd(pair.server());
    assertThat(harness.east.pinnedBytes()).isPositive();
    harness.world.east.removeDevice();
    links.stepUntil("its memory to be free", () -> harness.east.pinnedBytes() == 0);
  }

  @Test
  void worksWithoutInlineSends() throws LinkException {
    closeAndLeaveNothing();
    open(Seed.random("no inline").nextLong(), DeviceProfile.full().withMaxInline(0));
    pair.client().sendNow(new byte[10]);
    links.stepUntil("the frame", () -> pair.server().heard().frames().size() == 1);
  }

  @Test
  void withoutMemoryToRegisterThereIsNoLinkAndTheCureIsTold() throws LinkException {
    closeAndLeaveNothing();
    harness =
        new FabricLinkHarness(
            Seed.random("memlock").nextLong(), DeviceProfile.full().withMemlock(64 << 10));
    links = new SteppedLinks(harness, OPTIONS, OPTIONS);
    assertThat(links.connect(links.listening().address()).failure())
        .hasMessageContaining("ibv_reg_mr")
        .hasMessageContaining("ulimit -l");
  }

  /** Frames carry their number, so that a loss, a repeat or a change of order shows. */
  @Test
  void whatArrivesIsABeginningOfWhatWasSentWheneverTheLinkEnds() throws LinkException {
    Random random = Seed.random("ends at any time");
    for (int round = 0; round < 10; round++) {
      closeAndLeaveNothing();
      open(random.nextLong(), device());
      Numbered there = new Numbered(pair.client(), pair.server(), random);
      Numbered back = new Numbered(pair.server(), pair.client(), random);
      for (int i = random.nextInt(300); i > 0; i--) {
        there.send();
        back.send();
        links.step();
      }
      switch (random.nextInt(4)) {
        case 0 -> cut();
        case 1 -> harness.world.west.removeDevice();
        case 2 -> pair.server().link().abort("by the test");
        default -> pair.client().link().close();
      }
      links.stepUntil(
          "both ends to close",
          () -> {
            there.send();
            back.send();
            return pair.client().heard().isClosed() && pair.server().heard().isClosed();
          });
    }
  }

  private static final class Numbered {
    private final LinkEnd from;
    private final Random random;
    private int sent;
    private int received;

    Numbered(LinkEnd from, LinkEnd to, Random random) {
      this.from = from;
      this.random = random;
      to.heard().onFrame(this::check);
    }

    private void check(byte[] frame) {
      int number = ByteBuffer.wrap(frame).getInt();
      if (number != received++) {
        throw new AssertionError("frame " + number + " where " + (received - 1) + " was due");
      }
    }

    void send() {
      byte[] frame = new byte[4 + random.nextInt(3000)];
      ByteBuffer.wrap(frame).putInt(sent);
      if (from.send(frame) == SendResult.SENT) {
        sent++;
      }
      if (random.nextBoolean()) {
        from.link().flush();
      }
    }
  }
}
