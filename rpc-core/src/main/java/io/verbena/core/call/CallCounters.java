package io.verbena.core.call;

import io.verbena.core.stat.OnewayStat;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Counts the one-way calls that were not simply executed, of a session and of the client or server
 * that it belongs to, which counts some more of all its sessions. Safe for use by any thread.
 */
public final class CallCounters {
  private final @Nullable CallCounters whole;
  private final Map<What, AtomicLong> counts = new EnumMap<>(What.class);
  private final AtomicInteger orphans = new AtomicInteger();
  private final AtomicInteger streamsSent = new AtomicInteger();

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
  public CallCounters() {
    this(null);
  }

  /** Counts for a session, whose client or server counts the same. */
  public CallCounters(@Nullable CallCounters whole) {
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

  /**
   * Changes how many one-way calls of the whole go on though their session has ended; returns how
   * many they are.
   */
  public int orphans(int change) {
    return whole == null ? orphans.addAndGet(change) : whole.orphans(change);
  }

  /** Changes how many streams the sessions of the whole send; returns how many they are. */
  public int streamsSent(int change) {
    return whole == null ? streamsSent.addAndGet(change) : whole.streamsSent(change);
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
