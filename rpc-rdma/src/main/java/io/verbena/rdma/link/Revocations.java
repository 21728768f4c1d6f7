package io.verbena.rdma.link;

import io.verbena.rdma.wire.Immediate;
import java.util.Arrays;

/** Which of the peer's landings it has revoked: for each slot the latest epoch. */
final class Revocations {
  private static final short NONE = -1;

  private short[] epochs = new short[0];

  /** Remembers one; false if the peer can have no such landing. */
  boolean add(int landing) {
    int slot = Immediate.slot(landing);
    if (slot >= LandingTable.MOST_OPEN) {
      return false;
    }
    if (slot >= epochs.length) {
      int before = epochs.length;
      epochs =
          Arrays.copyOf(epochs, Math.max(slot + 1, Math.min(2 * before, LandingTable.MOST_OPEN)));
      Arrays.fill(epochs, before, epochs.length, NONE);
    }
    epochs[slot] = (short) Immediate.epoch(landing);
    return true;
  }

  /** Returns whether a landing is that epoch's or an earlier one's, as far as epochs can tell. */
  boolean covers(int landing) {
    int slot = Immediate.slot(landing);
    if (slot >= epochs.length || epochs[slot] == NONE) {
      return false;
    }
    int younger = (epochs[slot] - Immediate.epoch(landing)) & (Immediate.EPOCHS - 1);
    return younger < Immediate.EPOCHS / 2;
  }
}
