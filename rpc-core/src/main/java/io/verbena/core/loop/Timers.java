package io.verbena.core.loop;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The timers of one event loop, on a wheel of ticks of about a millisecond. Each call has a timer
 * that rarely expires. So scheduling and cancelling take a few writes each, for any number of
 * timers, and allocate nothing once the arrays have grown. On the loop.
 *
 * <pre>
 * node        0 .. SPOKES-1     SPOKES          above
 * is          a spoke's ring    what is due     a timer, in one of these rings, or free
 *
 * id          generation (32 bits) | node (32 bits)
 * </pre>
 */
public final class Timers {
  /** An id that {@link #schedule} never returns. */
  public static final long NONE = -1;

  private static final int MOST_AT_ONCE = 32;
  private static final int TICK_SHIFT = 20;
  private static final int SPOKES = 1024;
  private static final int DUE = SPOKES;
  private static final int FIRST_TIMER = SPOKES + 1;
  private static final int NO_NODE = -1;
  private static final int FIRST_CAPACITY = 2 * SPOKES;

  private int[] next = new int[FIRST_CAPACITY];
  private int[] previous = new int[FIRST_CAPACITY];
  private int[] generations = new int[FIRST_CAPACITY];
  private long[] deadlines = new long[FIRST_CAPACITY];
  private @Nullable Timer[] timers = new Timer[FIRST_CAPACITY];
  private int free = NO_NODE;
  private int nodes = FIRST_TIMER;
  private int live;

  /** The origin of all kept times, because a clock may wrap. */
  private final long origin;

  /** All ticks before this one have been checked. */
  private long tick;

  /** No timer is due before this time. Perhaps none is due at this time either. */
  private long earliest = Long.MAX_VALUE;

  Timers(long nowNanos) {
    origin = nowNanos;
    for (int ring = 0; ring < FIRST_TIMER; ring++) {
      next[ring] = ring;
      previous[ring] = ring;
    }
  }

  @FunctionalInterface
  public interface Timer {
    /** Runs on the loop, at the deadline or up to a tick later. */
    void onTimer(long nowNanos);
  }

  /** Schedules a timer; returns an id for {@link #cancel}. */
  public long schedule(long deadlineNanos, Timer timer) {
    long deadline = deadlineNanos - origin;
    int node = takeNode();
    deadlines[node] = deadline;
    timers[node] = timer;
    link(node, spoke(Math.max(deadline >> TICK_SHIFT, tick)));
    earliest = Math.min(earliest, deadline);
    return (long) generations[node] << Integer.SIZE | node;
  }

  /** Cancels a timer that has not expired. Otherwise, and for {@link #NONE}, it does nothing. */
  public void cancel(long id) {
    int node = (int) id;
    if (id != NONE && generations[node] == (int) (id >>> Integer.SIZE)) {
      unlink(node);
      release(node);
    }
  }

  /** Returns whether {@link #poll} may find an expired timer. Usually there is none. */
  boolean areDue(long nowNanos) {
    return earliest <= nowNanos - origin;
  }

  /**
   * Runs expired timers. Their number is limited, so that links have their turn soon. The others
   * run in the next cycle, before which {@link #nanosToNext} allows no wait.
   */
  int poll(long nowNanos) {
    long now = nowNanos - origin;
    int expired = 0;
    while (earliest <= now && expired < MOST_AT_ONCE) {
      collectDue(now);
      int node = next[DUE];
      while (node != DUE && expired < MOST_AT_ONCE) {
        Timer timer = timers[node];
        unlink(node);
        release(node);
        expired++;
        if (timer != null) {
          try {
            timer.onTimer(nowNanos);
          } catch (Throwable e) {
            EventLoop.failed("A timer", e);
          }
        }
        node = next[DUE];
      }
      earliest = node == DUE ? Math.min(earliest, nextDeadline()) : now;
    }
    return expired;
  }

  /** Moves due timers into a separate ring, because their actions may change all other rings. */
  private void collectDue(long now) {
    long last = now >> TICK_SHIFT;
    for (long at = Math.max(tick, last - SPOKES + 1); at <= last; at++) {
      int ring = spoke(at);
      int node = next[ring];
      while (node != ring) {
        int following = next[node];
        if (deadlines[node] <= now) {
          unlink(node);
          link(node, DUE);
        }
        node = following;
      }
    }
    tick = Math.max(tick, last);
    earliest = Long.MAX_VALUE;
  }

  /**
   * Returns the first deadline within a turn of the wheel. If there is none, it returns the end of
   * that turn, as the time of the next check.
   */
  private long nextDeadline() {
    if (live == 0) {
      return Long.MAX_VALUE;
    }
    for (long at = tick; at < tick + SPOKES; at++) {
      long first = Long.MAX_VALUE;
      int ring = spoke(at);
      for (int node = next[ring]; node != ring; node = next[node]) {
        if (deadlines[node] >> TICK_SHIFT <= at) {
          first = Math.min(first, deadlines[node]);
        }
      }
      if (first != Long.MAX_VALUE) {
        return first;
      }
    }
    return (tick + SPOKES) << TICK_SHIFT;
  }

  /**
   * Returns the nanoseconds until a timer may expire, at most {@code atMost}. A cancelled timer
   * costs one early wake-up, which is cheaper than a search before every wait.
   */
  long nanosToNext(long nowNanos, long atMost) {
    long now = nowNanos - origin;
    return earliest == Long.MAX_VALUE ? atMost : Math.clamp(earliest - now, 0, atMost);
  }

  private static int spoke(long atTick) {
    return (int) (atTick & (SPOKES - 1));
  }

  private void link(int node, int ring) {
    int last = previous[ring];
    next[last] = node;
    previous[node] = last;
    next[node] = ring;
    previous[ring] = node;
  }

  private void unlink(int node) {
    next[previous[node]] = next[node];
    previous[next[node]] = previous[node];
  }

  private int takeNode() {
    live++;
    int node = free;
    if (node != NO_NODE) {
      free = next[node];
      return node;
    }
    if (nodes == next.length) {
      grow(2 * nodes);
    }
    return nodes++;
  }

  private void release(int node) {
    live--;
    timers[node] = null;
    generations[node] = (generations[node] + 1) & Integer.MAX_VALUE; // earlier ids are stale
    next[node] = free;
    free = node;
  }

  private void grow(int capacity) {
    next = Arrays.copyOf(next, capacity);
    previous = Arrays.copyOf(previous, capacity);
    generations = Arrays.copyOf(generations, capacity);
    deadlines = Arrays.copyOf(deadlines, capacity);
    timers = Arrays.copyOf(timers, capacity);
  }
}
