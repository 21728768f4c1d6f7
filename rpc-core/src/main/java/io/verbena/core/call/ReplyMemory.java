package io.verbena.core.call;

import io.verbena.link.memory.Quota;
import io.verbena.link.memory.Slot;
import org.jspecify.annotations.Nullable;

/**
 * One session's memory for replies longer than a slot.
 *
 * <pre>
 *   reserved: before the handler runs ─→ grown: what the reply needs beyond that, as it grows
 *       ─→ charged: to the slot of the complete reply, until the peer has acknowledged it
 * </pre>
 *
 * <p>A session has at most one reply more than its share. {@link HandlerStarts} has the handlers
 * and replies that wait for this memory. Safe for use by any thread.
 */
final class ReplyMemory {
  private final Quota.Share share;

  /** The memory of replies that are not complete. Guarded by this. */
  private long unfinished;

  /** The reply that may exceed the share until it is complete. Guarded by this. */
  private @Nullable ReplyMessage beyond;

  ReplyMemory(Quota.Share share) {
    this.share = share;
  }

  Quota.Share share() {
    return share;
  }

  /**
   * Reserves memory for a reply before its handler runs, in addition to what it has. A session
   * without other replies gets it in any case, unless all sessions together have more than there
   * is: their peers could take one reply each, and not read it.
   *
   * @param bytes the total
   * @return false if there is not enough; the reply keeps what it has
   */
  synchronized boolean reserve(ReplyMessage reply, long bytes) {
    long more = bytes - reply.reserved;
    if (more > 0) {
      if (!share.take(more)) {
        boolean others = share.held() > reply.reserved;
        if (others || share.quota().isOverdrawn()) {
          return false;
        }
        share.takeAnyway(more);
      }
      add(reply, more);
    }
    return true;
  }

  /** Returns what must be released before so much can be reserved; 0: any release may suffice. */
  long lacks(long bytes) {
    return share.held() == 0 ? 0 : share.beyond(bytes);
  }

  /**
   * Takes memory for a reply that is being encoded, in addition to what it has. One reply may
   * exceed the share when the peer has no earlier reply left to take, so that replies never wait
   * for each other in a circle.
   *
   * @param bytes the total
   * @return false if there is not enough; the reply keeps what it has
   */
  synchronized boolean grow(ReplyMessage reply, long bytes) {
    long more = bytes - reply.reserved;
    if (more > 0) {
      if (!share.take(more)) {
        boolean others = beyond != null && beyond != reply;
        if (others || share.held() > unfinished) {
          return false;
        }
        beyond = reply;
        share.takeAnyway(more);
      }
      add(reply, more);
    }
    return true;
  }

  private void add(ReplyMessage reply, long more) {
    reply.reserved += more;
    unfinished += more;
  }

  private void subtract(ReplyMessage reply, long less) {
    reply.reserved -= less;
    unfinished -= less;
    if (beyond == reply) {
      beyond = null;
    }
  }

  /** Counts the memory of a complete reply until its slot is released. */
  synchronized void charge(ReplyMessage reply, Slot slot, long bytes) {
    long taken = Math.min(bytes, reply.reserved);
    subtract(reply, taken);
    slot.charge(share, bytes, taken);
  }

  /** Releases the memory of a reply that it does not need, or not yet. */
  void release(ReplyMessage reply) {
    long rest;
    synchronized (this) {
      rest = reply.reserved;
      subtract(reply, rest);
    }
    share.give(rest);
  }
}
