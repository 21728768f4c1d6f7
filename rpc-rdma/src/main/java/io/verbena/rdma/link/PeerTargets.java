package io.verbena.rdma.link;

import io.verbena.rdma.wire.Immediate;
import org.agrona.collections.Int2IntHashMap;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * The peer's targets, of each slot the latest, and which of them it wants left alone. The peer
 * tells of those of one slot in their order, each when the one before is fenced; but it may revoke
 * one before what tells of it is here, since notes are read before frames.
 */
final class PeerTargets {
  private static final int NONE = -1;

  private final Int2ObjectHashMap<PeerTarget> latest = new Int2ObjectHashMap<>();

  /** By slot, what was revoked and not told of yet. */
  private final Int2IntHashMap revokedEarly = new Int2IntHashMap(NONE);

  /** The peer tells of one. */
  void told(PeerTarget target) {
    int slot = Immediate.slot(target.target());
    latest.put(slot, target);
    if (revokedEarly.remove(slot) == target.target()) {
      target.revoke();
    }
  }

  /** The peer wants one left alone; false if it can have no such target. */
  boolean revoke(int target) {
    int slot = Immediate.slot(target);
    if (slot >= TargetTable.MOST_OPEN) {
      return false;
    }
    PeerTarget told = latest.get(slot);
    if (told != null && told.target() == target) {
      told.revoke();
    } else {
      revokedEarly.put(slot, target);
    }
    return true;
  }
}
