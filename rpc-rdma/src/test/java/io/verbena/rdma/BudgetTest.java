package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.link.BulkPort;
import io.verbena.link.BulkRegion;
import io.verbena.link.BulkTarget;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.link.MemoryLife;
import io.verbena.link.SendResult;
import io.verbena.link.memory.Waiters;
import io.verbena.testkit.LinkEnd;
import io.verbena.testkit.Seed;
import io.verbena.testkit.SteppedLinks;
import io.verbena.verbs.fabric.DeviceProfile;
import io.verbena.verbs.fabric.DeviceProfile.Windows;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Registered memory has a bound: what does not fit is refused or slower, and nothing stops. */
final class BudgetTest {
  private static final LinkOptions OPTIONS = LinkOptions.of(64 << 10, Duration.ofSeconds(5), null);

  /** A slab of the pools has one slot of this size: the budget is counted in slots. */
  private static final int SLOT = 1 << 20;

  private static final int CREDITS = 4;

  /** With those for control messages. */
  private static final int RECEIVES = CREDITS + 3;

  private static final int FRAMES = 200;

  private FabricLinkHarness harness;
  private SteppedLinks links;

  @SuppressWarnings("NullAway.Init") // by open
  BudgetTest() {}

  private void open(DeviceProfile profile, RdmaSettings settings) throws LinkException {
    harness = new FabricLinkHarness(Seed.random("budgets").nextLong(), profile, settings);
    links = new SteppedLinks(harness, OPTIONS, OPTIONS);
  }

  /**
   * Opens the world with a budget.
   *
   * @param guaranteed 0 where links have receives of their own
   */
  private void open(int slots, int guaranteed) throws LinkException {
    open(
        DeviceProfile.full(),
        RdmaSettings.DEFAULT
            .withSlotBytes(SLOT)
            .withCredits(CREDITS)
            .withGuaranteedCredits(guaranteed)
            .withMaxPinnedBytes((long) slots * SLOT));
  }

  @AfterEach
  void closeAndLeaveNothing() {
    links.close();
    harness.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {CREDITS, 0})
  void aLinkWhoseReceivesDoNotFitIsRefusedWithTheCure(int guaranteed) throws LinkException {
    open(RECEIVES - 1, guaranteed);
    assertThat(links.connect(links.listening().address()).failure())
        .hasMessageContaining("no registered memory is left for the receives of one more link")
        .hasMessageContaining("raise maxPinnedBytes");
  }

  @ParameterizedTest
  @ValueSource(ints = {CREDITS, 0})
  void aLinkThatHasNothingToSendFromIsRefusedWithTheCure(int guaranteed) throws LinkException {
    open(RECEIVES, guaranteed);
    assertThat(links.connect(links.listening().address()).failure())
        .hasMessageContaining("no registered memory is left to send from")
        .hasMessageContaining("raise maxPinnedBytes");
  }

  @ParameterizedTest
  @ValueSource(ints = {CREDITS, 0})
  void aLinkThatIsRefusedHarmsNoOther(int guaranteed) throws LinkException {
    open(RECEIVES + 1, guaranteed);
    SteppedLinks.Pair first = links.open();
    assertThat(links.connect(links.listening().address()).failure())
        .hasMessageContaining("raise maxPinnedBytes");
    first.client().sendNow(new byte[1]);
    links.stepUntil("the frame", () -> first.server().heard().frames().size() == 1);
  }

  /** The pool is empty but for the one slot that each link keeps; receives are not sent from. */
  @ParameterizedTest
  @ValueSource(ints = {CREDITS, 0})
  void anExhaustedPoolSlowsALinkDownAndNeverStopsIt(int guaranteed) throws LinkException {
    open(RECEIVES + 1, guaranteed);
    SteppedLinks.Pair pair = links.open();
    int[] sent = new int[2];
    links.stepUntil(
        "all frames both ways",
        () -> {
          sent[0] += send(pair.client(), sent[0]);
          sent[1] += send(pair.server(), sent[1]);
          return hasAll(pair.client()) && hasAll(pair.server());
        });
    assertThat(harness.east.counters().backPressured()).as("slowed down").isPositive();
    assertThat(harness.west.counters().backPressured()).as("slowed down").isPositive();
    assertThat(harness.east.pinnedBytes()).isEqualTo((RECEIVES + 1L) * SLOT);
  }

  /** Sends as many numbered frames as there is room for, each by itself; returns how many. */
  private static int send(LinkEnd end, int first) {
    int sent = 0;
    while (first + sent < FRAMES
        && end.send(ByteBuffer.allocate(2_000).putInt(first + sent).array()) == SendResult.SENT) {
      end.link().flush();
      sent++;
    }
    return sent;
  }

  private static boolean hasAll(LinkEnd end) {
    List<byte[]> frames = end.heard().frames();
    if (frames.size() < FRAMES) {
      return false;
    }
    for (int i = 0; i < FRAMES; i++) {
      assertThat(ByteBuffer.wrap(frames.get(i)).getInt()).isEqualTo(i);
    }
    return true;
  }

  // ---- the system allows less than the budget ----

  /** A slab for each pool; the first traffic would have one of them grow. */
  private static final long TWO_SLABS = 2L << 20;

  @Test
  void whereTheSystemLocksLessThanTheBudgetLinksAreSlowedDownAndNoneEnds() throws LinkException {
    open(DeviceProfile.full().withMemlock(TWO_SLABS), RdmaSettings.DEFAULT);
    List<SteppedLinks.Pair> pairs = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      pairs.add(links.open());
    }
    int[] sent = new int[pairs.size()];
    links.stepUntil(
        "all frames on every link",
        () -> {
          boolean all = true;
          for (int i = 0; i < sent.length; i++) {
            sent[i] += send(pairs.get(i).client(), sent[i]);
            all &= hasAll(pairs.get(i).server());
          }
          return all;
        });
    assertThat(harness.east.pinnedBytes()).isEqualTo(TWO_SLABS);
    assertThat(harness.west.pinnedBytes()).isEqualTo(TWO_SLABS);
    assertThat(pairs).noneMatch(pair -> pair.client().heard().isClosed());
  }

  /** Of the 128 slots of a slab, a link takes 11 that are shared, or 35 of its own. */
  @ParameterizedTest
  @CsvSource({"8, 11", "0, 3"})
  void aLinkThatTheSystemLocksNoMemoryForIsRefusedWithTheCureAndHarmsNoOther(
      int guaranteed, int fit) throws LinkException {
    open(
        DeviceProfile.full().withMemlock(TWO_SLABS),
        RdmaSettings.DEFAULT.withGuaranteedCredits(guaranteed));
    SteppedLinks.Pair first = links.open();
    for (int i = 1; i < fit; i++) {
      SteppedLinks.Pair _ = links.open();
    }
    assertThat(links.connect(links.listening().address()).failure())
        .hasMessageContaining("no registered memory is left for the receives of one more link")
        .hasMessageContaining("ENOMEM")
        .hasMessageContaining("ulimit -l unlimited");
    first.client().sendNow(new byte[1]);
    links.stepUntil("the frame", () -> first.server().heard().frames().size() == 1);
  }

  // ---- idle memory makes room ----

  private static final long BUDGET = 16L << 20;
  private static final long HALF = BUDGET / 2;

  private int extents;

  /** Memory that was not there before, which the fabric never touches. */
  private MemorySegment memory(long bytes) {
    return MemorySegment.ofAddress(++extents * (1L << 40)).reinterpret(bytes);
  }

  private BulkRegion attach(SteppedLinks.Pair pair, long bytes) throws LinkException {
    return attach(pair, bytes, MemoryLife.HELD);
  }

  private BulkRegion attach(SteppedLinks.Pair pair, long bytes, MemoryLife life)
      throws LinkException {
    return Objects.requireNonNull(pair.client().link().bulk()).attach(memory(bytes), life);
  }

  /** Each link has a domain of its own. */
  @Test
  void whatIsIdleOfAllLinksTogetherIsHalfOfTheBudgetAtMost() throws LinkException {
    open(
        DeviceProfile.full().withoutMemoryWindows(),
        RdmaSettings.DEFAULT.withMaxPinnedBytes(BUDGET));
    for (int i = 0; i < 4; i++) {
      attach(links.open(), 6 << 20).release();
      assertThat(harness.east.counters().cachedBytes()).isEqualTo(6 << 20);
    }
    assertThat(harness.east.counters().cacheEvictions()).isEqualTo(3);
  }

  @ParameterizedTest
  @EnumSource(Windows.class)
  void whatIsIdleOfOneLinkMakesRoomForAnother(Windows windows) throws LinkException {
    open(
        DeviceProfile.full().withWindows(windows), RdmaSettings.DEFAULT.withMaxPinnedBytes(BUDGET));
    SteppedLinks.Pair first = links.open();
    SteppedLinks.Pair second = links.open();
    for (int i = 0; i < 4; i++) {
      attach(first, HALF / 4).release();
    }
    BulkRegion most = attach(second, HALF + HALF / 4);
    assertThat(harness.east.counters().cachedBytes()).as("what need not go").isPositive();
    most.release();
  }

  /** A slab of the pools has one slot: each link more needs some. */
  @Test
  void whatIsIdleMakesRoomForTheSlotsOfLinks() throws LinkException {
    open(2 * (RECEIVES + 1), CREDITS);
    SteppedLinks.Pair first = links.open();
    for (int i = 0; i <= RECEIVES; i++) {
      attach(first, SLOT).release();
    }
    assertThat(harness.east.counters().cachedBytes()).isEqualTo((RECEIVES + 1L) * SLOT);
    SteppedLinks.Pair _ = links.open();
    assertThat(harness.east.counters().cachedBytes()).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whoFindsNoRoomIsToldWhenAnotherLoopGivesSomeBack(boolean bySystem) throws LinkException {
    open(
        DeviceProfile.full().withMemlock(bySystem ? BUDGET : Long.MAX_VALUE),
        RdmaSettings.DEFAULT.withMaxPinnedBytes(bySystem ? 2 * BUDGET : BUDGET));
    BulkRegion little = attach(links.open(), 4 << 20, MemoryLife.ONCE); // more than its part
    try (SteppedLinks others = new SteppedLinks(harness, OPTIONS, OPTIONS)) {
      SteppedLinks.Pair other = others.open();
      List<BulkRegion> all = new ArrayList<>();
      LinkException refused = attachAll(other, all);
      Queue<Runnable> loop = new ArrayDeque<>();
      List<BulkRegion> had = new ArrayList<>();
      Waiters waiters = Objects.requireNonNull(refused.shortage()).waiters();
      Waiters.Place place =
          waiters.place(
              loop::add,
              () -> {
                try {
                  had.add(attach(other, 1 << 20, MemoryLife.ONCE));
                } catch (LinkException e) {
                  // waits on
                }
              });
      place.join(refused.shortage().needs());
      loop.remove().run();
      assertThat(had).as("when it looked for what was given back before").isEmpty();
      little.release();
      loop.remove().run();
      assertThat(had).hasSize(1);
      place.leave();
      assertThat(waiters.isEmpty()).isTrue();
      had.forEach(BulkRegion::release);
      all.forEach(BulkRegion::release);
    }
  }

  /** Registers a MiB after the other, until there is no room. */
  private LinkException attachAll(SteppedLinks.Pair pair, List<BulkRegion> into) {
    while (true) {
      try {
        into.add(attach(pair, 1 << 20, MemoryLife.ONCE));
      } catch (LinkException e) {
        return e;
      }
    }
  }

  /** Of 16 MiB, 2 are each link's own; 8 are lent. */
  @ParameterizedTest
  @EnumSource(Windows.class)
  void aLinkThatHasAllItMayHaveLeavesEachOtherItsPart(Windows windows) throws LinkException {
    open(
        DeviceProfile.full().withWindows(windows), RdmaSettings.DEFAULT.withMaxPinnedBytes(BUDGET));
    List<BulkRegion> all = new ArrayList<>();
    SteppedLinks.Pair greedy = links.open();
    SteppedLinks.Pair modest = links.open();
    assertThat(attachAll(greedy, all))
        .hasMessageContaining("this link has %d of its part of %d", all.size() << 20, 2 << 20)
        .hasMessageContaining("raise maxPinnedBytes");
    assertThat(all).hasSizeGreaterThan(8);
    all.add(attach(modest, 1 << 20, MemoryLife.ONCE));
    all.add(attach(modest, 1 << 20, MemoryLife.ONCE));
    assertThatThrownBy(() -> attach(modest, 1 << 20, MemoryLife.ONCE))
        .hasMessageContaining("this link has %d of its part of %d", 2 << 20, 2 << 20);
    all.forEach(BulkRegion::release);
  }

  /** No other may deregister what a loop keeps: it is woken for that. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatIsIdleOfOneLoopMakesRoomForAnother(boolean bySystem) throws LinkException {
    open(
        DeviceProfile.full().withMemlock(bySystem ? BUDGET : Long.MAX_VALUE),
        RdmaSettings.DEFAULT.withMaxPinnedBytes(bySystem ? 2 * BUDGET : BUDGET));
    attach(links.open(), HALF).release();
    try (SteppedLinks others = new SteppedLinks(harness, OPTIONS, OPTIONS)) {
      SteppedLinks.Pair other = others.open();
      assertThatThrownBy(() -> attach(other, HALF))
          .isInstanceOf(LinkException.class)
          .hasMessageContaining(bySystem ? "ulimit -l unlimited" : "raise maxPinnedBytes");
      links.step();
      assertThat(harness.east.counters().cachedBytes()).as("what was idle").isZero();
      attach(other, HALF).release();
      assertThat(harness.east.counters().cachedBytes()).isEqualTo(HALF);
    }
  }

  @Test
  void whatIsIdleMakesRoomWhereAControlGroupLimitsObjects() throws LinkException {
    open(DeviceProfile.full(), RdmaSettings.DEFAULT);
    SteppedLinks.Pair pair = links.open();
    attach(pair, 1 << 20).release();
    harness.world.east.limitObjects(harness.world.east.objects());
    BulkRegion other = attach(pair, 1 << 20, MemoryLife.ONCE);
    assertThat(harness.east.counters().cacheEvictions()).isEqualTo(1);
    LinkException refused = attachAll(pair, new ArrayList<>());
    assertThat(refused).hasMessageContaining("EAGAIN").hasMessageContaining("rdma.max");
    assertThat(refused.shortage()).isNotNull();
    other.release();
    attach(pair, 1 << 20, MemoryLife.ONCE).release();
  }

  @Test
  void whatIsIdleMakesRoomForAWindowWhereAControlGroupLimitsObjects() throws LinkException {
    open(DeviceProfile.full(), RdmaSettings.DEFAULT);
    SteppedLinks.Pair pair = links.open();
    BulkPort port = Objects.requireNonNull(pair.client().link().bulk());
    BulkRegion landing = attach(pair, 1 << 20);
    attach(pair, 1 << 20).release();
    harness.world.east.limitObjects(harness.world.east.objects());
    BulkTarget _ = port.open(landing, 0, 1 << 19, upTo -> {});
    assertThat(harness.east.counters().cacheEvictions()).isEqualTo(1);
    assertThatThrownBy(() -> port.open(landing, 1 << 19, 1 << 19, upTo -> {}))
        .hasMessageContaining("ibv_alloc_mw failed with EAGAIN")
        .extracting(e -> ((LinkException) e).shortage())
        .isNotNull();
  }

  /** 11 receives and a slot to send from, of 8 KiB, from slabs that no other link uses. */
  @Test
  void withoutMemoryWindowsEachLinkAtRestPinsTwoSlabsOfItsOwn() throws LinkException {
    open(DeviceProfile.full().withoutMemoryWindows(), RdmaSettings.DEFAULT);
    for (int open = 1; open <= 3; open++) {
      SteppedLinks.Pair _ = links.open();
      assertThat(harness.west.pinnedBytes()).isEqualTo(open * (192L << 10));
    }
  }
}
