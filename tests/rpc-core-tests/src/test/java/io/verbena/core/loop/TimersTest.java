package io.verbena.core.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimersTest {
  /** The clock wraps within each test. */
  private static final long START = nearTheEnd();

  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000 * MILLI;

  private final Timers timers = new Timers(START);
  private final List<String> expired = new ArrayList<>();

  private static long nearTheEnd() {
    return Long.MAX_VALUE - 5 * SECOND;
  }

  private long schedule(String name, long in) {
    return timers.schedule(START + in, now -> expired.add(name));
  }

  @Test
  void expiresATimerAtItsDeadlineAndNotBefore() {
    schedule("a", 10 * MILLI);
    timers.poll(START + 10 * MILLI - 1);
    assertThat(expired).isEmpty();
    timers.poll(START + 10 * MILLI);
    assertThat(expired).containsExactly("a");
  }

  @Test
  void expiresATimerThatIsManyTurnsOfTheWheelAway() {
    schedule("a", 15 * SECOND);
    for (long at = 0; at < 15_000; at++) {
      timers.poll(START + at * MILLI);
    }
    assertThat(expired).isEmpty();
    timers.poll(START + 15 * SECOND);
    assertThat(expired).containsExactly("a");
  }

  @Test
  void expiresWhatATimerSchedulesForNowInTheSamePoll() {
    timers.schedule(START, now -> schedule("second", 0));
    assertThat(timers.poll(START + 1)).isEqualTo(2);
    assertThat(expired).containsExactly("second");
  }

  @Test
  void letsATimerCancelAnotherThatIsDueWithIt() {
    long[] other = new long[1];
    timers.schedule(START + MILLI, now -> timers.cancel(other[0]));
    other[0] = schedule("cancelled", MILLI);
    timers.poll(START + SECOND);
    assertThat(expired).isEmpty();
  }

  @Test
  void doesNotCancelTheTimerThatTookAnExpiredOnesPlace() {
    long first = schedule("first", 1);
    timers.poll(START + 1);
    schedule("second", 2);
    timers.cancel(first);
    timers.cancel(Timers.NONE);
    timers.poll(START + 2);
    assertThat(expired).containsExactly("first", "second");
  }

  @Test
  void leavesTheRestToTheNextPollWhereManyAreDueAtOnce() {
    long[] ids = new long[1000];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = schedule("timer " + i, MILLI);
    }
    timers.cancel(ids[999]);
    int polls = 0;
    while (expired.size() < 999) {
      assertThat(timers.nanosToNext(START + SECOND, SECOND)).isZero();
      assertThat(timers.poll(START + SECOND)).isBetween(1, 100);
      polls++;
    }
    assertThat(polls).isGreaterThan(10);
    assertThat(expired).doesNotHaveDuplicates();
    timers.poll(START + SECOND);
    assertThat(timers.nanosToNext(START + SECOND, SECOND)).isEqualTo(SECOND);
  }

  @Test
  void saysHowLongNothingIsDue() {
    assertThat(timers.nanosToNext(START, SECOND)).isEqualTo(SECOND);
    schedule("a", 30 * MILLI);
    assertThat(timers.nanosToNext(START, SECOND)).isEqualTo(30 * MILLI);
    assertThat(timers.nanosToNext(START + 40 * MILLI, SECOND)).isZero();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void expiresExactlyWhatIsDueWhateverIsScheduledAndCancelled(long seed) {
    Random random = new Random(seed);
    Map<Long, Long> live = new HashMap<>();
    long now = START;
    for (int step = 0; step < 5_000; step++) {
      for (int i = random.nextInt(4); i > 0; i--) {
        long deadline = now + random.nextLong(random.nextBoolean() ? 5 * MILLI : 4 * SECOND);
        long[] id = new long[1];
        id[0] = timers.schedule(deadline, at -> assertThat(live.remove(id[0])).isEqualTo(deadline));
        assertThat(live.put(id[0], deadline)).as("id is new, seed %d", seed).isNull();
      }
      if (!live.isEmpty() && random.nextBoolean()) {
        long victim = live.keySet().iterator().next();
        timers.cancel(victim);
        live.remove(victim);
      }
      now += random.nextLong(random.nextInt(50) == 0 ? 3 * SECOND : 2 * MILLI);
      long at = now;
      long wait = timers.nanosToNext(now, SECOND);
      live.values().forEach(due -> assertThat(wait).isLessThanOrEqualTo(Math.max(0, due - at)));
      while (timers.nanosToNext(now, 1) == 0) {
        timers.poll(now);
      }
      assertThat(live.values()).as("seed %d", seed).allMatch(due -> due - at > 0);
    }
  }
}
