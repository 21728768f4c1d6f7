package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.core.link.LinkException;
import io.verbena.core.link.LinkOptions;
import io.verbena.core.link.SendResult;
import io.verbena.testkit.LinkEnd;
import io.verbena.testkit.Seed;
import io.verbena.testkit.SteppedLinks;
import io.verbena.verbs.fabric.DeviceProfile;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Registered memory has a bound: what does not fit is refused or slower, and nothing stops. */
final class BudgetTest {
  private static final LinkOptions OPTIONS = new LinkOptions(64 << 10, Duration.ofSeconds(5), null);

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
        && end.send(ByteBuffer.allocate(2_000).putInt(first + sent).array())
            instanceof SendResult.Sent) {
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

  /** 35 receives and a slot to send from, of 8 KiB, from slabs that no other link uses. */
  @Test
  void withoutMemoryWindowsEachLinkPinsThreeSlabsOfItsOwn() throws LinkException {
    open(DeviceProfile.full().withoutMemoryWindows(), RdmaSettings.DEFAULT);
    for (int open = 1; open <= 3; open++) {
      SteppedLinks.Pair _ = links.open();
      assertThat(harness.west.pinnedBytes()).isEqualTo(open * (768L << 10));
    }
  }
}
