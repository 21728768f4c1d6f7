package io.verbena.core.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.link.runtime.NanoClock;
import io.verbena.mem.InMemoryNetwork;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each deadline ends its own work, whatever the others are. */
class DeadlineWatchTest {
  private static final long MILLI = 1_000_000;

  private static final long START = Long.MAX_VALUE - 15 * MILLI; // so that the clock wraps

  private long now = START;
  private final NanoClock clock = () -> now;
  private final EventLoop loop =
      new EventLoop("test", clock, new InMemoryNetwork(clock, InMemoryNetwork.DEFAULT_RING_FRAMES));
  private final List<Thing> things = new ArrayList<>();
  private final List<Thing> over = new ArrayList<>();
  private final DeadlineWatch watch = new DeadlineWatch(loop, () -> List.copyOf(things));

  private class Thing implements DeadlineWatch.Timed {
    final long deadline;
    boolean timed = true;

    Thing(long nanos) {
      this.deadline = START + nanos;
      things.add(this);
      watch.add(deadline);
    }

    @Override
    public boolean isTimed() {
      return timed;
    }

    @Override
    public long deadlineNanos() {
      return deadline;
    }

    @Override
    public void expire() {
      timed = false;
      over.add(this);
    }
  }

  private void at(long nanos) {
    now = START + nanos;
    loop.doWork();
  }

  @Test
  void eachEndsAtItsDeadlineWhateverCameFirst() {
    Thing second = new Thing(20 * MILLI);
    Thing first = new Thing(10 * MILLI);
    Thing third = new Thing(30 * MILLI);
    at(10 * MILLI - 1);
    assertThat(over).isEmpty();
    at(10 * MILLI);
    assertThat(over).containsExactly(first);
    at(20 * MILLI);
    assertThat(over).containsExactly(first, second);
    at(31 * MILLI);
    assertThat(over).containsExactly(first, second, third);
  }

  @Test
  void noneEndsMoreThanAMillisecondLate() {
    Thing one = new Thing(10 * MILLI);
    Thing next = new Thing(10 * MILLI + 1);
    at(10 * MILLI);
    assertThat(over).containsExactly(one);
    at(11 * MILLI);
    assertThat(over).containsExactly(one, next);
  }

  @Test
  void whatIsOverOtherwiseDoesNotExpire() {
    Thing answered = new Thing(10 * MILLI);
    Thing other = new Thing(10 * MILLI);
    answered.timed = false;
    at(10 * MILLI);
    assertThat(over).containsExactly(other);
  }

  @Test
  void whatComesAfterALookIsSeenToAsWell() {
    new Thing(10 * MILLI);
    at(10 * MILLI);
    Thing later = new Thing(40 * MILLI);
    at(40 * MILLI);
    assertThat(over).endsWith(later).hasSize(2);
  }

  @Test
  void manyAtOnceEndInSeveralCycles() {
    for (int i = 0; i < 100; i++) {
      new Thing(10 * MILLI);
    }
    at(10 * MILLI);
    assertThat(over).hasSizeLessThan(100);
    for (int i = 0; i < 3; i++) {
      loop.doWork();
    }
    assertThat(over).hasSize(100);
  }

  @Test
  void oneThatFailsKeepsNoOtherFromItsEnd() {
    Thing bad =
        new Thing(10 * MILLI) {
          @Override
          public void expire() {
            super.expire();
            throw new IllegalStateException("on purpose");
          }
        };
    Thing good = new Thing(10 * MILLI);
    at(10 * MILLI);
    assertThat(over).containsExactly(bad, good);
  }

  @Test
  void oneThatEndsAnotherDoesSoForGood() {
    Thing[] other = new Thing[1];
    Thing one =
        new Thing(10 * MILLI) {
          @Override
          public void expire() {
            super.expire();
            other[0].timed = false;
          }
        };
    other[0] = new Thing(10 * MILLI);
    at(10 * MILLI);
    assertThat(over).containsExactly(one);
  }
}
