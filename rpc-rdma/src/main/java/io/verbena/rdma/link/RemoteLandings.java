package io.verbena.rdma.link;

import io.verbena.rdma.wire.Immediate;
import org.agrona.collections.Int2IntHashMap;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * The peer's landings, of each slot the latest, and which of them it wants left alone. The peer
 * tells of those of one slot in their order, each when the one before is fenced; but it may revoke
 * one before what tells of it is here, since notes are read before frames.
 */
final class RemoteLandings {
  private static final int NONE = -1;

  private final Int2ObjectHashMap<RemoteLanding> latest = new Int2ObjectHashMap<>();

  /** By slot, what was revoked and not told of yet. */
  private final Int2IntHashMap revokedEarly = new Int2IntHashMap(NONE);

  /** The peer tells of one. */
  void told(RemoteLanding landing) {
    int slot = Immediate.slot(landing.landing());
    latest.put(slot, landing);
    if (revokedEarly.remove(slot) == landing.landing()) {
      landing.revoke();
    }
  }

  /** The peer wants one left alone; false if it can have no such landing. */
  boolean revoke(int landing) {
    int slot = Immediate.slot(landing);
    if (slot >= LandingTable.MOST_OPEN) {
      return false;
    }
    RemoteLanding told = latest.get(slot);
    if (told != null && told.landing() == landing) {
      told.revoke();
    } else {
      revokedEarly.put(slot, landing);
    }
    return true;
  }
}
