package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.core.bulk.LimitedWait;
import io.verbena.core.loop.EventLoop;
import io.verbena.link.memory.Shortage;
import io.verbena.link.memory.Waiters;
import io.verbena.mem.InMemoryNetwork;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LimitedWaitTest {
  private static final long FREE = 10;
  private static final int CYCLES_PER_MILLI = 20;

  private final AtomicLong now = new AtomicLong();
  private final EventLoop loop = new EventLoop("waits", now::get, new InMemoryNetwork());
  private final Waiters waiters = new Waiters(() -> FREE);
  private final LimitedWait wait = new LimitedWait(loop, this::tries);
  private int attempts;
  private boolean waits;

  /** Takes some of what is free, finds that the rest is not enough, and gives that back. */
  private void tries() {
    attempts++;
    wait.beginAttempt();
    waiters.freed();
    waits = wait.goesOn(new Shortage(waiters, () -> FREE));
  }

  private void pass(int millis) {
    for (int i = 0; i < millis * CYCLES_PER_MILLI; i++) {
      loop.doWork();
      now.addAndGet(TimeUnit.MILLISECONDS.toNanos(1) / CYCLES_PER_MILLI);
    }
  }

  @Test
  void whatAnAttemptGivesBackItselfIsNoReasonToTryForEver() {
    loop.execute(this::tries);
    pass(100);
    assertThat(waits).isTrue();
    assertThat(attempts).isBetween(2, 110);
  }

  @Test
  void itEndsBehindItsTimeThoughItIsToldAllTheWhile() {
    loop.execute(this::tries);
    pass(11_000);
    assertThat(waits).isFalse();
  }
}
