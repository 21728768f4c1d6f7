package io.verbena.simulation.time;

import java.util.PriorityQueue;

/**
 * What is to happen when, on a clock that only moves forward; same time: in the order of adding.
 */
public final class Agenda {
  private final PriorityQueue<Entry> entries = new PriorityQueue<>();
  private long orders;
  private long now;

  /** Something to happen; may be called off. */
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

    /** Has it not happen. */
    public void callOff() {
      off = true;
    }

    @Override
    public int compareTo(Entry other) {
      int byTime = Long.compare(due, other.due);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  /** Returns the time, in nanoseconds since the run began. */
  public long now() {
    return now;
  }

  /** Has something happen after so many nanoseconds. */
  public Entry after(long nanos, Runnable action) {
    return at(now + Math.max(0, nanos), action);
  }

  /** Has something happen at a time; one that has passed means now. */
  public Entry at(long due, Runnable action) {
    Entry entry = new Entry(Math.max(due, now), orders++, action);
    entries.add(entry);
    return entry;
  }

  /** Returns when the next entry is due; {@code Long.MAX_VALUE} where there is none. */
  public long nextDue() {
    Entry first;
    while ((first = entries.peek()) != null && first.off) {
      entries.remove();
    }
    return first == null ? Long.MAX_VALUE : first.due;
  }

  /** Moves the clock on. */
  public void moveTo(long time) {
    now = Math.max(now, time);
  }

  /** Runs the next entry if it is due; returns whether it was. */
  public boolean step() {
    if (nextDue() > now) {
      return false;
    }
    Entry due = entries.remove();
    due.action.run();
    return true;
  }
}
