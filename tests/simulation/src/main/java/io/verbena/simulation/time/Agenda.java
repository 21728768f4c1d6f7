package io.verbena.simulation.time;

import java.util.PriorityQueue;

/**
 * The scheduled events, on a clock that only moves forward. Events of the same time run in the
 * order of adding.
 */
public final class Agenda {
  private final PriorityQueue<Entry> entries = new PriorityQueue<>();
  private long orders;
  private long now;

  /** A scheduled event, which may be called off. */
  public static final class Entry implements Comparable<Entry> {
    private final long due;
    private final long order;
    private final Runnable action;
    private boolean off;

    private Entry(long due, long order, Runnable action) {
      this.due = due;
      this.order = order;
      this.action = action;
    }

    public void callOff() {
      off = true;
    }

    @Override
    public int compareTo(Entry other) {
      int byTime = Long.compare(due, other.due);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  /** Returns the time in nanoseconds since the start of the run. */
  public long now() {
    return now;
  }

  /** Schedules an action after a time in nanoseconds. */
  public Entry after(long nanos, Runnable action) {
    return at(now + Math.max(0, nanos), action);
  }

  /** Schedules an action at a time. A past time means now. */
  public Entry at(long due, Runnable action) {
    Entry entry = new Entry(Math.max(due, now), orders++, action);
    entries.add(entry);
    return entry;
  }

  /** Returns the time of the next entry; {@code Long.MAX_VALUE} if there is none. */
  public long nextDue() {
    Entry first;
    while ((first = entries.peek()) != null && first.off) {
      entries.remove();
    }
    return first == null ? Long.MAX_VALUE : first.due;
  }

  /** Moves the clock forward. */
  public void moveTo(long time) {
    now = Math.max(now, time);
  }

  /** Runs the next entry if it is due. Returns whether it was. */
  public boolean step() {
    if (nextDue() > now) {
      return false;
    }
    Entry due = entries.remove();
    due.action.run();
    return true;
  }
}
