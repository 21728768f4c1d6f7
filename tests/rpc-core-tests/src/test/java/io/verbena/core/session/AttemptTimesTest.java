package io.verbena.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AttemptTimesTest {
  private static final Duration CONNECT = Duration.ofSeconds(3);
  private static final Duration WINDOW = Duration.ofSeconds(5);
  private final LinkException silent = new LinkException("no answer", null);
  private final LinkException nobody = LinkException.nobodyListens("nobody", null);

  private long now = -7;
  private final AttemptTimes times =
      new AttemptTimes(() -> now, LinkOptions.of(1 << 20, CONNECT, null), WINDOW, new Random(7));

  private void pass(Duration time) {
    now += time.toNanos();
  }

  @Test
  void theDelayDoublesFromTenMillisecondsToASecondAndIsHalfOfItToTheWhole() {
    Set<Long> longest = new HashSet<>();
    for (int round = 0; round < 20; round++) {
      for (long whole : List.of(10L, 20L, 40L, 80L, 160L, 320L, 640L, 1000L, 1000L)) {
        long delay = times.lengthenDelay();
        assertThat(delay).isBetween(whole * 500_000, whole * 1_000_000);
        if (whole == 1000) {
          longest.add(delay);
        }
      }
      times.linked();
    }
    assertThat(longest).hasSizeGreaterThan(30);
  }

  @Test
  void openingHasTheTimeOfOneConnectionInAll() {
    times.beginOpening();
    assertThat(times.linkOptions(false).connectTimeout()).isEqualTo(CONNECT);
    pass(Duration.ofSeconds(2));
    assertThat(times.linkOptions(false).connectTimeout()).isEqualTo(Duration.ofSeconds(1));
    assertThat(times.tokenLimit(false)).isEqualTo(Duration.ofSeconds(1));
    assertThat(times.handshakeLimit(false)).isEqualTo(Duration.ofSeconds(1));
    pass(Duration.ofSeconds(2));
    assertThat(times.linkOptions(false).connectTimeout()).isEqualTo(Duration.ofMillis(1));
  }

  @Test
  void anAttemptToResumeLeavesTimeForOthers() {
    times.repeat();
    assertThat(times.linkOptions(true).connectTimeout()).isEqualTo(WINDOW.dividedBy(5));
    assertThat(times.handshakeLimit(true)).isEqualTo(CONNECT);
    pass(Duration.ofSeconds(4));
    assertThat(times.handshakeLimit(true)).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void failedAttemptsAreRepeatedUntilTheWindowIsOver() {
    assertThat(times.isRepeating()).isFalse();
    times.repeat();
    pass(WINDOW.minusNanos(1));
    assertThat(times.isRepeating()).isTrue();
    pass(Duration.ofNanos(1));
    assertThat(times.isRepeating()).isFalse();
    assertThat(times.hasBegunToRepeat()).isTrue();
    times.linked();
    assertThat(times.hasBegunToRepeat()).isFalse();
  }

  @Test
  void aPortIsGoneWhereNobodyHasListenedForATenthOfTheWindow() {
    assertThat(times.isGone(nobody)).isFalse();
    pass(WINDOW.dividedBy(10).minusNanos(1));
    assertThat(times.isGone(nobody)).isFalse();
    pass(Duration.ofNanos(1));
    assertThat(times.isGone(nobody)).isTrue();
    assertThat(times.isGone(silent)).isFalse();
    assertThat(times.isGone(nobody)).as("it counts anew").isFalse();
  }

  @Test
  void aServerIsGreetedAgainThreeTimesAndWhileThereIsTimeToOpen() {
    times.beginOpening();
    for (int i = 0; i < 3; i++) {
      assertThat(times.mayGreetAgain()).isTrue();
      times.lengthenDelay();
    }
    assertThat(times.mayGreetAgain()).isFalse();
    times.beginOpening();
    pass(CONNECT);
    assertThat(times.mayGreetAgain()).isFalse();
  }

  @Test
  void aLinkThatLastsASecondIsReplacedAtOnceAndOthersLaterEachTime() {
    for (int round = 0; round < 20; round++) {
      for (int again = 0; again < 2; again++) {
        times.linked();
        pass(Duration.ofSeconds(1));
        assertThat(times.isNew()).isFalse();
        assertThat(times.delayAfterLoss()).isZero();
      }
      for (long whole : List.of(10L, 20L, 40L, 80L, 160L, 320L, 640L, 1000L, 1000L)) {
        times.linked();
        pass(Duration.ofSeconds(1).minusNanos(1));
        assertThat(times.isNew()).isTrue();
        assertThat(times.delayAfterLoss()).isBetween(whole * 500_000, whole * 1_000_000);
        assertThat(times.delayAfterLoss()).as("recorded before").isZero();
      }
    }
  }

  @Test
  void theFirstLinkIsReplacedAtOnceHoweverShortItLasted() {
    times.linked();
    assertThat(times.delayAfterLoss()).isZero();
  }
}
