package io.verbena.verbs.fabric;

import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** All timers of a fabric. Their order depends only on the calls of the program. */
final class Schedule {
  private final PriorityQueue<Timer> queue = new PriorityQueue<>();
  private long orders;

  /** Schedules a timer, and moves it if it is pending already. */
  void at(long due, Timer timer) {
    cancel(timer);
    timer.due = due;
    timer.order = orders++;
    timer.pending = true;
    queue.add(timer);
  }

  void cancel(Timer timer) {
    if (timer.pending) {
      queue.remove(timer);
      timer.pending = false;
    }
  }

  /** Returns the time of the next timer; Long.MAX_VALUE for none. */
  long nextDue() {
    Timer next = queue.peek();
    return next == null ? Long.MAX_VALUE : next.due;
  }

  @Nullable Timer poll() {
    Timer next = queue.poll();
    if (next != null) {
      next.pending = false;
    }
    return next;
  }
}
