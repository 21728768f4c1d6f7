package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.link.SendResult;
import io.verbena.testkit.LinkEnd;
import io.verbena.testkit.Seed;
import io.verbena.testkit.SteppedLinks;
import io.verbena.verbs.fabric.DeviceProfile;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The contents of Sends, and which Sends have a completion of their own. */
final class SendsTest {
  private static final LinkOptions OPTIONS = LinkOptions.of(64 << 10, Duration.ofSeconds(2), null);

  /** With {@link FabricLinkHarness#SETTINGS}: 128 credits, and 8 more for what is not a frame. */
  private static final int PLACES = 136;

  /** So many Sends a peer that stands still takes after the first, which shows what inline does. */
  private static final int SENDS = FabricLinkHarness.SETTINGS.guaranteedCredits() - 1;

  private FabricLinkHarness harness;
  private SteppedLinks links;
  private SteppedLinks.Pair pair;

  @SuppressWarnings("NullAway.Init") // by open
  SendsTest() {}

  private void open(DeviceProfile profile, RdmaSettings settings) throws LinkException {
    harness = new FabricLinkHarness(Seed.random("Sends").nextLong(), profile, settings);
    links = new SteppedLinks(harness, OPTIONS, OPTIONS);
    pair = links.open();
    links.settle();
  }

  @AfterEach
  void closeAndLeaveNothing() {
    links.close();
    harness.close();
  }

  private static byte[] numbered(int number, int bytes) {
    return ByteBuffer.allocate(bytes).putInt(number).array();
  }

  private void awaitNumbered(int count) {
    List<byte[]> frames = pair.server().heard().frames();
    links.stepUntil("the frames", () -> frames.size() == count);
    for (int i = 0; i < count; i++) {
      assertThat(ByteBuffer.wrap(frames.get(i)).getInt()).isEqualTo(i);
    }
  }

  private static long credits(LinkEnd end) {
    return Objects.requireNonNull(end.link().figures().get("credits"));
  }

  @Test
  void framesThatAreFlushedTogetherShareOne() throws LinkException {
    open(DeviceProfile.full(), RdmaSettings.DEFAULT);
    assertThat(credits(pair.client())).isEqualTo(8);
    for (int i = 0; i < 20; i++) {
      assertThat(pair.client().send(numbered(i, 64))).isEqualTo(SendResult.SENT);
    }
    pair.client().link().flush();
    assertThat(credits(pair.client())).as("credits after one Send").isEqualTo(7);
    awaitNumbered(20);
  }

  @Test
  void framesThatDoNotFitOneTakeNoMoreThanTheyNeed() throws LinkException {
    open(DeviceProfile.full(), RdmaSettings.DEFAULT);
    int bytes = RdmaSettings.DEFAULT.slotBytes() / 4; // with their headers, three to a slot
    for (int i = 0; i < 20; i++) {
      assertThat(pair.client().send(numbered(i, bytes))).isEqualTo(SendResult.SENT);
    }
    pair.client().link().flush();
    assertThat(credits(pair.client())).as("credits after seven Sends").isEqualTo(1);
    awaitNumbered(20);
  }

  /** As the core's slots have it: with the Send's own header and the frame's, 8 KiB. */
  @Test
  void aFrameThatJustFitsASlotTakesOne() throws LinkException {
    assertThat(sendsOf(RdmaSettings.DEFAULT.slotBytes() - 8)).isEqualTo(1);
  }

  @Test
  void aFrameThatJustDoesNotFitASlotIsNotTaken() throws LinkException {
    open(DeviceProfile.full(), RdmaSettings.DEFAULT);
    int most = RdmaSettings.DEFAULT.slotBytes() - 8;
    assertThat(pair.client().link().capabilities().maxFrameBytes()).isEqualTo(most);
    assertThatThrownBy(() -> pair.client().send(new byte[most + 1]))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** Has a frame arrive whole; returns how many Sends it took. */
  private long sendsOf(int bytes) throws LinkException {
    open(DeviceProfile.full(), RdmaSettings.DEFAULT);
    byte[] frame = new byte[bytes];
    Seed.random("a frame about as long as a slot").nextBytes(frame);
    long before = credits(pair.client());
    pair.client().sendNow(frame);
    long sends = before - credits(pair.client());
    List<byte[]> frames = pair.server().heard().frames();
    links.stepUntil("the frame", () -> !frames.isEmpty());
    assertThat(frames).containsExactly(frame);
    return sends;
  }

  /** Has {@link #SENDS} Sends completed while the peer stands still; returns the completions. */
  private int completionsOf(int bytes) throws LinkException {
    open(DeviceProfile.full(), FabricLinkHarness.SETTINGS);
    pair.client().sendNow(new byte[1]); // the first shows whether the device sends inline
    links.stepUntil("the first", () -> pair.server().heard().frames().size() == 1);
    harness.world.pass(Duration.ofSeconds(1).toNanos());
    for (int i = 0; i < 10; i++) {
      links.client().poll();
    }
    for (int i = 0; i < SENDS; i++) {
      pair.client().sendNow(new byte[bytes]);
    }
    harness.world.pass(Duration.ofSeconds(1).toNanos());
    int completions = 0;
    for (int i = 0; i < 100; i++) {
      completions += links.client().poll(); // a link whose peer says nothing has no other work
    }
    return completions;
  }

  @Test
  void inlineOnesCompleteTogetherAQuarterOfTheQueueAtATime() throws LinkException {
    assertThat(completionsOf(100)).isEqualTo(SENDS / (PLACES / 4));
  }

  @Test
  void onesThatBorrowTheirSlotCompleteEachByItself() throws LinkException {
    assertThat(completionsOf(1000)).isEqualTo(SENDS);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 256})
  void moreThanTheQueueHoldsFindTheirPlaces(int maxInline) throws LinkException {
    open(DeviceProfile.full().withMaxInline(maxInline), FabricLinkHarness.SETTINGS);
    int[] sent = new int[1];
    links.stepUntil(
        "room for all",
        () -> {
          while (sent[0] < 5 * PLACES
              && pair.client().send(numbered(sent[0], 64)) == SendResult.SENT) {
            pair.client().link().flush();
            sent[0]++;
          }
          return sent[0] == 5 * PLACES;
        });
    awaitNumbered(5 * PLACES);
  }
}
