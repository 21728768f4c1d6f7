package io.verbena.core.call;

import io.verbena.core.stat.OnewayStat;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Counts the one-way calls that were not simply executed, for a session and for its client or
 * server. The latter also counts some figures of all its sessions. Safe for use by any thread.
 */
public final class CallCounters {
  private final @Nullable CallCounters whole;
  private final Map<What, AtomicLong> counts = new EnumMap<>(What.class);
  private final AtomicInteger orphans = new AtomicInteger();
  private final AtomicInteger streamsSent = new AtomicInteger();

  /** The outcome of a call. See {@link OnewayStat}. */
  public enum What {
    /** The call was never sent. */
    UNSENT,
    /** The call had been sent when the peer was lost. */
    UNKNOWN,
    /** The peer dropped the call. */
    REFUSED_BY_PEER,
    /** The call was dropped here. */
    REFUSED,
    /** The handler threw. */
    FAILED
  }

  public CallCounters() {
    this(null);
  }

  /** Makes the counters of a session. Its client or server counts the same calls. */
  public CallCounters(@Nullable CallCounters whole) {
    this.whole = whole;
    for (What what : What.values()) {
      counts.put(what, new AtomicLong());
    }
  }

  public void add(What what, int calls) {
    counter(what).addAndGet(calls);
    if (whole != null) {
      whole.add(what, calls);
    }
  }

  /**
   * Changes the number of one-way calls that run on after their session has ended. Returns the new
   * number.
   */
  public int orphans(int change) {
    return whole == null ? orphans.addAndGet(change) : whole.orphans(change);
  }

  /** Changes the number of streams that all sessions send. Returns the new number. */
  public int streamsSent(int change) {
    return whole == null ? streamsSent.addAndGet(change) : whole.streamsSent(change);
  }

  private AtomicLong counter(What what) {
    return Objects.requireNonNull(counts.get(what));
  }

  private long count(What what) {
    return counter(what).get();
  }

  public OnewayStat stat() {
    return new OnewayStat(
        count(What.UNSENT),
        count(What.UNKNOWN),
        count(What.REFUSED_BY_PEER),
        count(What.REFUSED),
        count(What.FAILED));
  }
}
