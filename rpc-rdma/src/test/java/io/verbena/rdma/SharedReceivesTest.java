package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.link.SendResult;
import io.verbena.testkit.LinkEnd;
import io.verbena.testkit.Seed;
import io.verbena.testkit.SteppedLinks;
import io.verbena.verbs.fabric.DeviceProfile;
import io.verbena.verbs.fabric.RequestWatcher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Links that share their receives pin little, lease what they need, and give it back. */
final class SharedReceivesTest {
  private static final LinkOptions OPTIONS = LinkOptions.of(64 << 10, Duration.ofSeconds(5), null);
  private static final RdmaSettings SETTINGS = RdmaSettings.DEFAULT;
  private static final int LINKS = 1000;
  private static final int SLOT = SETTINGS.slotBytes();

  /** Guaranteed to each link of a test whose peers use all of them at once. */
  private static final int CREDITS = 30;

  private static final int MOST_STEPS = 1_000_000;

  /** Receives, with those for control messages. */
  private static final int GUARANTEED = SETTINGS.guaranteedCredits() + 3;

  private FabricLinkHarness harness;
  private SteppedLinks links;

  @SuppressWarnings("NullAway.Init") // by open
  SharedReceivesTest() throws LinkException {
    open(Seed.random("shared receives").nextLong());
  }

  private void open(long seed) throws LinkException {
    harness = new FabricLinkHarness(seed, DeviceProfile.full(), SETTINGS);
    links = new SteppedLinks(harness, OPTIONS, OPTIONS);
  }

  @AfterEach
  void closeAndLeaveNothing() {
    links.close();
    harness.close();
  }

  /** Sends as many frames as there is room for, each by itself; returns how many. */
  private static int fill(LinkEnd end) {
    int sent = 0;
    while (end.send(new byte[100]) == SendResult.SENT) {
      end.link().flush();
      sent++;
    }
    return sent;
  }

  @Tag("long")
  @Test
  void aThousandLinksPinLessThanAHundredMebibytesAndAllOfThemWork() {
    List<SteppedLinks.Pair> pairs = new ArrayList<>();
    for (int i = 0; i < LINKS; i++) {
      pairs.add(links.open());
    }
    long receives = (long) LINKS * GUARANTEED * SLOT;
    long sends = (long) LINKS * SLOT; // one slot stays with each link
    long slabs = 2L << 20; // the last of each pool is not full
    assertThat(harness.west.pinnedBytes()).isLessThan(receives + sends + slabs);
    assertThat(harness.west.pinnedBytes()).isLessThan(100L << 20);
    for (SteppedLinks.Pair pair : pairs) {
      pair.client().sendNow(new byte[100]);
    }
    links.stepUntil(
        "a frame on every link",
        () -> pairs.stream().allMatch(pair -> pair.server().heard().frames().size() == 1));
  }

  @Test
  void manyBusyLinksShareWhatIsLeasedAndNoneIsStarved() {
    List<SteppedLinks.Pair> pairs = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      pairs.add(links.open());
    }
    links.stepUntil(
        "forty frames on every link",
        () -> {
          pairs.forEach(pair -> fill(pair.client()));
          return pairs.stream().allMatch(pair -> pair.server().heard().frames().size() >= 40);
        });
    long most = (100L * GUARANTEED + 1024) * SLOT + 100L * SLOT + (4L << 20);
    assertThat(harness.west.pinnedBytes()).isLessThanOrEqualTo(most);
  }

  @Test
  void aLinkThatIsUsedLeasesUpToItsMostAndGivesBackWhatIsOfNoUse() {
    SteppedLinks.Pair pair = links.open();
    assertThat(fill(pair.client())).isEqualTo(SETTINGS.guaranteedCredits());
    int[] best = new int[1];
    links.stepUntil(
        "the whole lease",
        () -> {
          links.settle();
          best[0] = Math.max(best[0], fill(pair.client()));
          return best[0] > SETTINGS.credits() / 2;
        });
    long until = harness.world.nanoTime() + Duration.ofSeconds(1).toNanos();
    links.stepUntil("time to pass", () -> harness.world.nanoTime() > until);
    assertThat(fill(pair.client())).isLessThanOrEqualTo(SETTINGS.guaranteedCredits());
  }

  @Test
  void aLinkWithFewerCreditsIsGuaranteedNoMore() {
    assertThat(SETTINGS.withCredits(5).guaranteedCredits()).isEqualTo(5);
  }

  @Test
  void aReaderThatStandsStillIsLentNoMoreThanItsMost() {
    SteppedLinks.Pair pair = links.open();
    pair.server().link().setReceiving(false);
    int sent = 0;
    for (int i = 0; i < 50; i++) {
      sent += fill(pair.client());
      links.settle();
    }
    assertThat(sent).isEqualTo(SETTINGS.credits());
  }

  @Test
  void linksThatEndLeaveTheirReceivesToOthers() {
    links.open().client().sendNow(new byte[1]);
    long before = harness.west.pinnedBytes();
    for (int i = 0; i < 50; i++) {
      SteppedLinks.Pair pair = links.open();
      fill(pair.client());
      links.step();
      pair.client().link().abort("by the test");
      links.stepUntil(
          "both to hear",
          () -> pair.client().heard().isClosed() && pair.server().heard().isClosed());
    }
    assertThat(harness.west.pinnedBytes()).isEqualTo(before);
    assertThat(harness.west.counters().undrained()).isZero();
    assertThat(fill(links.open().client())).isEqualTo(SETTINGS.guaranteedCredits());
  }

  /** Its device may say that the last one is taken before that one's completion has been read. */
  @Test
  void whatALinkHasTakenAtItsEndIsPostedAgain() throws LinkException {
    Random random = Seed.random("receives that are taken at the end");
    int fabrics = Boolean.getBoolean("verbena.long") ? 24 : 6;
    for (int fabric = 0; fabric < fabrics; fabric++) {
      closeAndLeaveNothing();
      open(random.nextLong());
      for (int i = 0; i < 40; i++) {
        SteppedLinks.Pair pair = links.open();
        fill(pair.client());
        for (int events = random.nextInt(20); events > 0; events--) {
          harness.world.step();
        }
        pair.server().link().abort("by the test");
        links.stepUntil("the end", () -> pair.server().heard().isClosed());
      }
      SteppedLinks.Pair last = links.open();
      last.client().sendNow(new byte[1]);
      links.stepUntil("a frame", () -> last.server().heard().frames().size() == 1);
    }
  }

  /**
   * The event of a connection is lost, and what its peer sends has been received when its time
   * ends, and is not in the completion queue yet. Such a link is drained, though it never opened.
   */
  @Test
  void whatALinkHasTakenThatNeverOpensIsPostedAgain() throws Exception {
    Random random = Seed.random("receives that are taken by links that never open");
    RdmaSettings settings = SETTINGS.withSlotBytes(512 << 10).withGuaranteedCredits(CREDITS);
    long three = pinnedByThree(random.nextLong(), settings, _ -> {});
    for (int fabric = 0; fabric < 16; fabric++) { // some forget the completions of such a link
      long after =
          pinnedByThree(
              random.nextLong(),
              settings,
              passive -> {
                for (int i = 0; i < 15; i++) {
                  neverOpen(passive, 1L << random.nextInt(18));
                }
              });
      assertThat(after).isEqualTo(three);
    }
  }

  private interface Meanwhile {
    void at(PassiveEnd passive) throws Exception;
  }

  /** Opens a link, and two more after something else. */
  private static long pinnedByThree(long seed, RdmaSettings settings, Meanwhile meanwhile)
      throws Exception {
    try (PassiveEnd passive = new PassiveEnd(seed, settings)) {
      List<RawPeer> peers = new ArrayList<>();
      peers.add(open(passive));
      meanwhile.at(passive);
      peers.add(open(passive));
      peers.add(open(passive));
      useAllCredit(passive, peers);
      return passive.provider.pinnedBytes();
    }
  }

  /** A receive that is granted and not posted would be missing now. */
  private static void useAllCredit(PassiveEnd passive, List<RawPeer> peers) throws Exception {
    AtomicInteger carried = new AtomicInteger();
    AtomicInteger missing = new AtomicInteger();
    passive.world.east.watch(
        new RequestWatcher() {
          @Override
          public void carriedOut(int opcode, long bytes) {
            carried.incrementAndGet();
          }

          @Override
          public void refused(int opcode, int status) {
            missing.incrementAndGet();
          }
        });
    for (RawPeer peer : peers) {
      for (int i = 0; i < CREDITS; i++) {
        peer.send(RawPeer.frame(1));
      }
    }
    int all = CREDITS * peers.size();
    for (int i = 0; i < MOST_STEPS && carried.get() < all && missing.get() == 0; i++) {
      passive.world.step();
    }
    assertThat(missing.get()).as("receives that are granted, and not posted").isZero();
    assertThat(carried.get()).as("frames that have arrived").isEqualTo(all);
  }

  private static RawPeer open(PassiveEnd passive) throws Exception {
    int before = passive.links.size();
    RawPeer peer = new RawPeer(passive).connectAlone(passive.offer());
    passive.stepUntil("the link", () -> passive.links.size() > before);
    return peer;
  }

  /** Lets a peer send so long before the end of its time, while the event is lost. */
  private static void neverOpen(PassiveEnd passive, long nanosLeft) throws Exception {
    byte[] offer = passive.offer();
    long end = passive.world.nanoTime() + 2 * PassiveEnd.OPTIONS.connectTimeout().toNanos();
    RawPeer peer = new RawPeer(passive).connectAlone(offer);
    passive.world.fabric.cut(passive.world.east, passive.world.west);
    passive.world.pass(Duration.ofMillis(10).toNanos());
    passive.world.fabric.heal(passive.world.east, passive.world.west);
    passive.world.pass(end - passive.world.nanoTime() - nanosLeft);
    for (int i = 0; i < CREDITS; i++) {
      peer.send(RawPeer.frame(1));
    }
    int failures = passive.failures.size();
    int links = passive.links.size();
    passive.stepUntil(
        "the end", () -> passive.failures.size() > failures || passive.links.size() > links);
    if (passive.links.size() > links) { // the frames were seen in time
      passive.links.getLast().link().abort("by the test");
    }
    passive.pass(Duration.ofMillis(100)); // for what is still to come
  }

  @Test
  void aDeadPathIsNoticedThoughThereIsNoCreditLeftToSendBy() {
    SteppedLinks.Pair pair = links.open();
    pair.server().link().setReceiving(false);
    for (int i = 0; i < 50; i++) {
      fill(pair.client());
      links.settle();
    }
    harness.world.fabric.cut(harness.world.east, harness.world.west);
    links.stepUntil("the client to notice", () -> pair.client().heard().isClosed());
    assertThat(pair.client().heard().closedReason()).contains("did not acknowledge in time");
    pair.server().link().abort("by the test");
  }
}
