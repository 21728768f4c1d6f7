package io.verbena.rdma.link;

import io.verbena.link.runtime.NanoClock;
import io.verbena.rdma.RdmaCounters;
import io.verbena.rdma.RdmaSettings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What all links of one loop share, and which of them have something to do: a loop with a thousand
 * links steps only those. On the loop.
 */
public final class LinkContext {
  /** What is watched for takes hundreds of milliseconds; a look at it in every cycle would tell. */
  private static final long WATCH_EVERY_NANOS = 1_000_000;

  private final NanoClock clock;
  private final RdmaSettings settings;
  private final RdmaCounters counters;
  private final ArrayDeque<RdmaLink> ready = new ArrayDeque<>();
  private final List<RdmaLink> ending = new ArrayList<>();
  private final Set<RdmaLink> watched = new LinkedHashSet<>();
  private long watchedSeen;

  /** Links are ending or watched, as far as is known without a look at each. */
  private boolean timed;

  /**
   * No links yet.
   *
   * @param clock the only clock that links look at
   * @param settings this end's sizes and depths
   * @param counters where links count
   */
  public LinkContext(NanoClock clock, RdmaSettings settings, RdmaCounters counters) {
    this.clock = clock;
    this.settings = settings;
    this.counters = counters;
    this.watchedSeen = clock.nanoTime();
  }

  /** Returns the only clock that links look at. */
  public NanoClock clock() {
    return clock;
  }

  /** Returns this end's sizes and depths. */
  public RdmaSettings settings() {
    return settings;
  }

  /** Returns where links count. */
  public RdmaCounters counters() {
    return counters;
  }

  /** The link wants to be stepped. */
  void ready(RdmaLink link) {
    ready.add(link);
  }

  /** The link is about to end, within a time. */
  void ends(RdmaLink link) {
    ending.add(link);
    timed = true;
  }

  /** The link's peer is to answer within a time. */
  void watch(RdmaLink link) {
    watched.add(link);
    timed = true;
  }

  /** Returns whether links are about to end. */
  public boolean someEnd() {
    return timed && !ending.isEmpty();
  }

  /** Returns whether time alone can make a link ready. */
  public boolean someWatchTime() {
    return timed;
  }

  /** Returns whether no link wants to be stepped. */
  public boolean nobodyIsReady() {
    return ready.isEmpty();
  }

  /** Steps each ready link once; what becomes ready meanwhile waits for the next call. */
  public int step(long now) {
    if (timed) {
      lookAtTime(now);
    }
    if (ready.isEmpty()) {
      return 0; // asking for its size takes longer
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
      watched.removeIf(link -> !link.isWatched(now));
    }
    timed = !ending.isEmpty() || !watched.isEmpty();
  }
}
