package io.verbena.core.bulk.transfer;

import io.verbena.core.bulk.transfer.Grants.Grant;
import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Memory that a caller opened for the answer to a call, until its handler answers. Its grants come
 * right before the call's request.
 */
final class CallLandings {
  private static final int MOST_GRANTS = 64;

  private final int mostCalls;
  private final Long2ObjectHashMap<List<Grant>> grants = new Long2ObjectHashMap<>();
  private long lastRequested;

  /**
   * No landings yet.
   *
   * @param mostCalls so many calls the peer may have under way
   */
  CallLandings(int mostCalls) {
    this.mostCalls = mostCalls;
  }

  /** Returns what is wrong with a grant, or null. */
  @Nullable String granted(long callId, Grant grant) {
    List<Grant> known = grants.get(callId);
    if (known == null) {
      if (callId <= lastRequested) {
        return null; // the call has been answered, or will not be
      }
      if (grants.size() >= mostCalls) {
        return "landings for more than " + mostCalls + " calls";
      }
      known = new ArrayList<>();
      grants.put(callId, known);
    }
    if (known.size() >= MOST_GRANTS) {
      return "more than " + MOST_GRANTS + " grants for call " + callId;
    }
    if (!known.isEmpty() && known.getFirst().generation() < grant.generation()) {
      known.clear();
    }
    known.add(grant);
    return null;
  }

  void requested(long callId) {
    lastRequested = Math.max(lastRequested, callId);
  }

  List<Grant> take(long callId) {
    List<Grant> taken = grants.remove(callId);
    return taken == null ? List.of() : taken;
  }

  void forget(long callId) {
    grants.remove(callId);
  }

  void clear() {
    grants.clear();
    lastRequested = 0;
  }
}
