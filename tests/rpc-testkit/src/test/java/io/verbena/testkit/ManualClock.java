package io.verbena.testkit;

import io.verbena.link.runtime.NanoClock;
import java.time.Duration;

/** A clock that moves only when the test says so. Safe for use by any thread. */
public final class ManualClock implements NanoClock {
  // Far from zero and near the wrap, so that code which compares instants instead of their
  // difference shows itself.
  private volatile long now = Long.MAX_VALUE - Duration.ofSeconds(30).toNanos();

  @Override
  public long nanoTime() {
    return now;
  }

  /** Moves the clock on. */
  public synchronized void advance(Duration time) {
    if (time.isNegative()) {
      throw new IllegalArgumentException("a clock never goes back, not even by " + time);
    }
    now = now + time.toNanos();
  }
}
