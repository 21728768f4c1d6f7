package io.verbena.core.loop;

import java.util.Collection;
import java.util.function.Supplier;

/**
 * Sees to the deadlines of many things by one timer, since hardly any of them ever passes: all are
 * looked through when the first may have passed, and no oftener than once in a millisecond, so that
 * what is due ends up to that much late and never early. For the loop's thread only.
 */
public final class DeadlineWatch implements Timers.Timer {
  private static final int MOST_AT_ONCE = 32;
  private static final long BETWEEN_LOOKS_NANOS = 1_000_000;
  private static final long AFTER_FAILURE_NANOS = 100_000_000;

  private final EventLoop loop;
  private final Supplier<? extends Collection<? extends Timed>> all;
  private long timer = Timers.NONE;

  /** When the next look is, while there is a timer. */
  private long next;

  private long notBefore;

  /** Something with a deadline. */
  public interface Timed {
    /** Returns whether its deadline counts. */
    boolean isTimed();

    /** Returns the deadline, in nanoseconds of the loop's clock. */
    long deadlineNanos();

    /** The deadline has passed; it must not count any more when this returns. */
    void expire();
  }

  /**
   * Watches nothing yet.
   *
   * @param all returns a copy of what there is to look through; what is not timed is passed over
   */
  public DeadlineWatch(EventLoop loop, Supplier<? extends Collection<? extends Timed>> all) {
    this.loop = loop;
    this.all = all;
    this.notBefore = loop.clock().nanoTime();
  }

  /** From now on there is something with this deadline. */
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
      lookAt(nowNanos + AFTER_FAILURE_NANOS); // or no deadline would ever pass again
      EventLoop.failed("A look for deadlines", e);
    }
  }

  private void expireDue(long nowNanos) {
    notBefore = nowNanos + BETWEEN_LOOKS_NANOS;
    int due = 0;
    for (Timed each : all.get()) {
      if (!each.isTimed()) {
        continue; // one before may have ended it
      }
      if (each.deadlineNanos() - nowNanos > 0) {
        add(each.deadlineNanos());
      } else if (++due <= MOST_AT_ONCE) {
        expire(each);
      }
    }
    if (due > MOST_AT_ONCE) {
      loop.execute(() -> look(loop.now())); // when links have had their turn
    }
  }

  private static void expire(Timed each) {
    try {
      each.expire();
    } catch (Throwable e) {
      EventLoop.failed("A timer", e);
    }
  }

  /** There is nothing to watch any more. */
  public void stop() {
    loop.timers().cancel(timer);
    timer = Timers.NONE;
  }
}
