package io.verbena.rdma.link;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The links that have something to do, so that a loop with a thousand links steps only those. */
public final class ReadyLinks {
  /** What is watched for takes hundreds of milliseconds; a look at it in every cycle would tell. */
  private static final long WATCH_EVERY_NANOS = 1_000_000;

  private final ArrayDeque<RdmaLink> ready = new ArrayDeque<>();
  private final List<RdmaLink> ending = new ArrayList<>();
  private final Set<RdmaLink> watched = new LinkedHashSet<>();
  private long watchedSeen;

  /**
   * No links yet.
   *
   * @param now by the clock that they are stepped by, whose zero means nothing
   */
  public ReadyLinks(long now) {
    watchedSeen = now;
  }

  void add(RdmaLink link) {
    ready.add(link);
  }

  /** The link is about to end, within a time. */
  void ends(RdmaLink link) {
    ending.add(link);
  }

  /** The link's peer is to answer within a time. */
  void watch(RdmaLink link) {
    watched.add(link);
  }

  /** Returns whether links are about to end. */
  public boolean someEnd() {
    return !ending.isEmpty();
  }

  /** Returns whether time alone can make a link ready. */
  public boolean someWatchTime() {
    return !ending.isEmpty() || !watched.isEmpty();
  }

  /** Returns whether no link wants to be stepped. */
  public boolean isEmpty() {
    return ready.isEmpty();
  }

  /** Steps each ready link once; what becomes ready meanwhile waits for the next call. */
  public int step(long now) {
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
    int work = 0;
    for (int left = ready.size(); left > 0; left--) {
      work += ready.remove().step(now);
    }
    return work;
  }
}
