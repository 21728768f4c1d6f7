package io.verbena.rdma.link;

import org.jspecify.annotations.Nullable;

/**
 * What has arrived and is not handed over yet, in its order: Sends with frames, the peer's
 * farewell, and news of bulk bytes that have landed. A ring as long as there are receives. On the
 * loop.
 */
final class Arrivals {
  /** Stands for the length of the peer's last message. */
  private static final int FAREWELL = -1;

  private final int[] slots;
  private final int[] lengths;

  /** Where bulk bytes have landed; null for a message in the slot. */
  private final @Nullable OwnTarget[] targets;

  /** How many bytes had landed by then. */
  private final long[] upTo;

  private int first;
  private int count;

  Arrivals(int most) {
    slots = new int[most];
    lengths = new int[most];
    targets = new OwnTarget[most];
    upTo = new long[most];
  }

  /** A Send with frames, of so many bytes. */
  void addFrames(int slot, int length) {
    add(slot, length, null, 0);
  }

  void addFarewell(int slot) {
    add(slot, FAREWELL, null, 0);
  }

  /** So many bytes have landed in all. */
  void addLanded(int slot, OwnTarget target, long upTo) {
    add(slot, 0, target, upTo);
  }

  private void add(int slot, int length, @Nullable OwnTarget target, long landed) {
    int place = wrapped(first + count);
    slots[place] = slot;
    lengths[place] = length;
    targets[place] = target;
    upTo[place] = landed;
    count++;
  }

  private int wrapped(int place) {
    return place < slots.length ? place : place - slots.length;
  }

  boolean isEmpty() {
    return count == 0;
  }

  // ---- the first; there must be one ----

  int slot() {
    return slots[first];
  }

  /** Returns how long its message is. */
  int length() {
    return lengths[first];
  }

  boolean isFarewell() {
    return lengths[first] == FAREWELL;
  }

  /** Returns where bytes have landed; null if it is a message. */
  @Nullable OwnTarget target() {
    return targets[first];
  }

  /** Returns how many bytes have landed there by now. */
  long upTo() {
    return upTo[first];
  }

  void removeFirst() {
    targets[first] = null;
    first = wrapped(first + 1);
    count--;
  }
}
