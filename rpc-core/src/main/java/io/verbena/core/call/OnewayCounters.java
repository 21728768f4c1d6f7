package io.verbena.core.call;

import io.verbena.core.stat.OnewayStat;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Counts the one-way calls that were not simply executed, of a session and of the whole that it
 * belongs to. Safe for use by any thread.
 */
public final class OnewayCounters {
  private final @Nullable OnewayCounters whole;
  private final Map<What, AtomicLong> counts = new EnumMap<>(What.class);
  private final AtomicInteger orphans = new AtomicInteger();

  /** What became of a call: see {@link OnewayStat}. */
  public enum What {
    /** It never left. */
    UNSENT,
    /** It had left, and the peer was lost. */
    UNKNOWN,
    /** The peer dropped it. */
    REFUSED_BY_PEER,
    /** It was dropped here. */
    REFUSED,
    /** Its handler threw. */
    FAILED
  }

  /** Counts for a client or server. */
  public OnewayCounters() {
    this(null);
  }

  /** Counts for a part of a whole, which counts the same. */
  public OnewayCounters(@Nullable OnewayCounters whole) {
    this.whole = whole;
    for (What what : What.values()) {
      counts.put(what, new AtomicLong());
    }
  }

  /** Adds so many. */
  public void add(What what, int calls) {
    counter(what).addAndGet(calls);
    if (whole != null) {
      whole.add(what, calls);
    }
  }

  /** Changes how many calls go on though their session has ended; returns how many they are. */
  public int orphans(int change) {
    return orphans.addAndGet(change);
  }

  private AtomicLong counter(What what) {
    return Objects.requireNonNull(counts.get(what));
  }

  private long count(What what) {
    return counter(what).get();
  }

  /** Returns what was counted so far. */
  public OnewayStat stat() {
    return new OnewayStat(
        count(What.UNSENT),
        count(What.UNKNOWN),
        count(What.REFUSED_BY_PEER),
        count(What.REFUSED),
        count(What.FAILED));
  }
}
