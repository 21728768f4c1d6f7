package io.verbena.core.loop;

import java.util.Collection;
import java.util.function.Supplier;

/**
 * Watches the deadlines of many objects by one timer, because few deadlines ever pass. It checks
 * all of them when the first may have passed, at most once a millisecond. So an object expires up
 * to a millisecond late, and never early. On the loop.
 */
public final class DeadlineWatch implements Timers.Timer {
  private static final int MOST_AT_ONCE = 32;
  private static final long BETWEEN_LOOKS_NANOS = 1_000_000;
  private static final long AFTER_FAILURE_NANOS = 100_000_000;

  private final EventLoop loop;
  private final Supplier<? extends Collection<? extends Timed>> all;
  private long timer = Timers.NONE;

  /** The time of the next check, while there is a timer. */
  private long next;

  private long notBefore;

  public interface Timed {
    /** Returns whether its deadline counts. */
    boolean isTimed();

    /** Returns the deadline, in nanoseconds of the loop's clock. */
    long deadlineNanos();

    /** The deadline has passed. It must not count any more when this returns. */
    void expire();
  }

  /**
   * Starts without deadlines.
   *
   * @param all returns a copy of the objects to check; those without a counting deadline are
   *     skipped
   */
  public DeadlineWatch(EventLoop loop, Supplier<? extends Collection<? extends Timed>> all) {
    this.loop = loop;
    this.all = all;
    this.notBefore = loop.clock().nanoTime();
  }

  /** Watches an object with this deadline from now on. */
  public void add(long deadlineNanos) {
    if (timer == Timers.NONE || deadlineNanos - next < 0) {
      lookAt(deadlineNanos - notBefore < 0 ? notBefore : deadlineNanos);
    }
  }

  private void lookAt(long nanos) {
    stop();
    next = nanos;
    timer = loop.timers().schedule(nanos, this);
  }

  @Override
  public void onTimer(long nowNanos) {
    timer = Timers.NONE;
    look(nowNanos);
  }

  private void look(long nowNanos) {
    try {
      expireDue(nowNanos);
    } catch (Throwable e) {
      lookAt(nowNanos + AFTER_FAILURE_NANOS); // otherwise no deadline would ever expire again
      EventLoop.failed("The check of deadlines", e);
    }
  }

  private void expireDue(long nowNanos) {
    notBefore = nowNanos + BETWEEN_LOOKS_NANOS;
    int due = 0;
    for (Timed each : all.get()) {
      if (!each.isTimed()) {
        continue; // an earlier one may have ended it
      }
      if (each.deadlineNanos() - nowNanos > 0) {
        add(each.deadlineNanos());
      } else if (++due <= MOST_AT_ONCE) {
        expire(each);
      }
    }
    if (due > MOST_AT_ONCE) {
      loop.execute(() -> look(loop.now())); // after the links have had their turn
    }
  }

  private static void expire(Timed each) {
    try {
      each.expire();
    } catch (Throwable e) {
      EventLoop.failed("A timer", e);
    }
  }

  public void stop() {
    loop.timers().cancel(timer);
    timer = Timers.NONE;
  }
}
