package io.verbena.core.loop;

import java.util.concurrent.TimeUnit;
import org.agrona.DeadlineTimerWheel;
import org.agrona.collections.Long2ObjectHashMap;

/** The timers of one event loop, in ticks of about a millisecond. For the loop's thread only. */
public final class Timers {
  /** Never an id that {@link #schedule} returns. */
  public static final long NONE = DeadlineTimerWheel.NULL_DEADLINE;

  private static final long TICK_NANOS = 1 << 20;
  private static final int TICKS_PER_WHEEL = 1024;
  private static final int EXPIRE_AT_ONCE = 1024;

  private final DeadlineTimerWheel wheel;
  private final Long2ObjectHashMap<Timer> handlers = new Long2ObjectHashMap<>();
  private final DeadlineTimerWheel.TimerHandler onExpiry = this::expire;
  private final DeadlineTimerWheel.TimerConsumer earliest = this::consider;

  /** The wheel compares instants, so it is given the time since here: a clock may wrap. */
  private final long origin;

  private long earliestDeadline;

  Timers(long nowNanos) {
    origin = nowNanos;
    wheel = new DeadlineTimerWheel(TimeUnit.NANOSECONDS, 0, (int) TICK_NANOS, TICKS_PER_WHEEL);
  }

  /** What to do when a timer expires. */
  @FunctionalInterface
  public interface Timer {
    /** Called on the loop, at the deadline or up to a tick later. */
    void onTimer(long nowNanos);
  }

  /** Schedules a timer; returns an id for {@link #cancel}. */
  public long schedule(long deadlineNanos, Timer timer) {
    long deadline = deadlineNanos - origin;
    earliestDeadline = Math.min(earliestDeadline, deadline);
    long id = wheel.scheduleTimer(deadline);
    handlers.put(id, timer);
    return id;
  }

  /** Cancels a timer that has not expired; otherwise, or for {@link #NONE}, does nothing. */
  public void cancel(long id) {
    if (id != NONE && handlers.remove(id) != null) {
      wheel.cancelTimer(id);
    }
  }

  int poll(long nowNanos) {
    long now = nowNanos - origin;
    if (wheel.timerCount() == 0) {
      wheel.currentTickTime(now);
      return 0;
    }
    int expired = 0;
    while (true) {
      int justNow = wheel.poll(now, onExpiry, EXPIRE_AT_ONCE);
      expired += justNow;
      if (justNow == 0 && wheel.currentTickTime() > now) {
        return expired;
      }
    }
  }

  private boolean expire(TimeUnit unit, long now, long id) {
    Timer timer = handlers.remove(id);
    if (timer != null) {
      timer.onTimer(now + origin);
    }
    return true;
  }

  /**
   * Returns the nanoseconds until a timer may expire, at most {@code atMost}. The earliest deadline
   * is looked for only when the one last found has passed: a timer cancelled meanwhile costs one
   * early wake-up, which is cheaper than a scan of the wheel before every wait.
   */
  long nanosToNext(long nowNanos, long atMost) {
    long now = nowNanos - origin;
    if (earliestDeadline <= now) {
      earliestDeadline = now + atMost;
      wheel.forEach(earliest);
    }
    return Math.max(0, Math.min(atMost, earliestDeadline - now));
  }

  private void consider(long deadline, long id) {
    earliestDeadline = Math.min(earliestDeadline, deadline);
  }
}
