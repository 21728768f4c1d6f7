package io.verbena.channel;

import io.verbena.link.runtime.NanoClock;
import java.util.ArrayList;
import java.util.List;

/** A channel's time in a test: it is the clock's, and timers run when the test says so. */
final class SteppedTime implements ChannelTime {
  private final NanoClock clock;
  private final List<Timer> timers = new ArrayList<>();

  private long last;

  private record Timer(long number, long at, Runnable action) {}

  SteppedTime(NanoClock clock) {
    this.clock = clock;
  }

  @Override
  public long nanoTime() {
    return clock.nanoTime();
  }

  @Override
  public Runnable after(long nanos, Runnable action) {
    Timer timer = new Timer(++last, nanoTime() + nanos, action);
    timers.add(timer);
    return () -> timers.remove(timer);
  }

  /** Runs what is due, in the order in which it was set; returns how many there were. */
  int runDue() {
    int ran = 0;
    for (Timer timer : List.copyOf(timers)) {
      if (timer.at - nanoTime() <= 0 && timers.remove(timer)) {
        timer.action.run();
        ran++;
      }
    }
    return ran;
  }
}
