package io.verbena.rdma.link;

import io.verbena.link.runtime.NanoClock;
import io.verbena.rdma.RdmaCounters;
import io.verbena.rdma.RdmaSettings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The part that all links of one loop share, and the list of links that have work: a loop with a
 * thousand links steps only those. On the loop.
 */
public final class LinkContext {
  /**
   * The watched times are hundreds of milliseconds long; a check in every cycle would be
   * measurable.
   */
  private static final long WATCH_EVERY_NANOS = 1_000_000;

  private final NanoClock clock;
  private final RdmaSettings settings;
  private final RdmaCounters counters;
  private final ArrayDeque<RdmaLink> ready = new ArrayDeque<>();
  private final List<RdmaLink> ending = new ArrayList<>();
  private final List<RdmaLink> watched = new ArrayList<>();
  private long watchedSeen;

  /** Links are ending or watched, as far as is known without a look at each. */
  private boolean timed;

  /**
   * Makes a context without links.
   *
   * @param clock the only clock that links use
   * @param settings this end's sizes and limits
   */
  public LinkContext(NanoClock clock, RdmaSettings settings, RdmaCounters counters) {
    this.clock = clock;
    this.settings = settings;
    this.counters = counters;
    this.watchedSeen = clock.nanoTime();
  }

  /** Returns the only clock that links use. */
  public NanoClock clock() {
    return clock;
  }

  /** Returns this end's sizes and limits. */
  public RdmaSettings settings() {
    return settings;
  }

  public RdmaCounters counters() {
    return counters;
  }

  /** The link has work. */
  void ready(RdmaLink link) {
    ready.add(link);
  }

  /** The link is ending, within a time limit. */
  void end(RdmaLink link) {
    ending.add(link);
    timed = true;
  }

  /** The link has a time limit for its peer's answer. */
  void watch(RdmaLink link) {
    if (link.beginWatch()) {
      watched.add(link);
      timed = true;
    }
  }

  public boolean someEnd() {
    return timed && !ending.isEmpty();
  }

  /** Returns whether a link may get work by time alone. */
  public boolean someWatchTime() {
    return timed;
  }

  /** Returns whether no link has work. */
  public boolean nobodyIsReady() {
    return ready.isEmpty();
  }

  /** Steps each link that has work once. Links that get work meanwhile wait for the next call. */
  public int step(long now) {
    if (timed) {
      lookAtTime(now);
    }
    if (ready.isEmpty()) {
      return 0; // faster than asking for its size
    }
    int work = 0;
    for (int left = ready.size(); left > 0; left--) {
      work += ready.remove().step(now);
    }
    return work;
  }

  private void lookAtTime(long now) {
    if (!ending.isEmpty()) {
      ending.removeIf(RdmaLink::isClosed);
      for (int i = 0; i < ending.size(); i++) {
        ending.get(i).expire(now);
      }
    }
    if (!watched.isEmpty() && now - watchedSeen >= WATCH_EVERY_NANOS) {
      watchedSeen = now;
      for (int i = watched.size() - 1; i >= 0; i--) {
        RdmaLink link = watched.get(i);
        if (!link.isWatched(now)) {
          watched.remove(i);
          link.endWatch();
        }
      }
    }
    timed = !ending.isEmpty() || !watched.isEmpty();
  }
}
