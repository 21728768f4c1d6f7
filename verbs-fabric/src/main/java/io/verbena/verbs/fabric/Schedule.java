package io.verbena.verbs.fabric;

import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** All timers of a fabric, in one order that depends on nothing but the calls made. */
final class Schedule {
  private final PriorityQueue<Timer> queue = new PriorityQueue<>();
  private long orders;

  /** Moves the timer there when it was pending already. */
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

  /** Long.MAX_VALUE when nothing is pending. */
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
