package io.verbena.rdma.link;

import java.io.IOException;
import java.util.ArrayDeque;

/**
 * Orders about targets (bind, invalidate, revoke), which must not get lost: one that finds no room
 * waits, and everything else behind it. On the loop.
 */
final class Orders {
  private final ArrayDeque<Order> waiting = new ArrayDeque<>();

  /** Something that must be posted. */
  interface Order {
    /** Returns false where there is no room or no credit. */
    boolean post() throws IOException;
  }

  /** Posts an order, now or behind those that wait. */
  void give(Order order) throws IOException {
    if (!step() || !order.post()) {
      waiting.add(order);
    }
  }

  /** Posts orders that wait; returns whether none is left. */
  boolean step() throws IOException {
    while (!waiting.isEmpty()) {
      if (!waiting.element().post()) {
        return false;
      }
      waiting.remove();
    }
    return true;
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** Returns how many wait for room or credit. */
  int size() {
    return waiting.size();
  }

  /** The link is gone. */
  void clear() {
    waiting.clear();
  }
}
