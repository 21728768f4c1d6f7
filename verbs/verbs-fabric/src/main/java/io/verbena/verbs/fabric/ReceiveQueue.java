package io.verbena.verbs.fabric;

import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.ReceiveBlock;
import io.verbena.verbs.ext.VerbsException;
import org.jspecify.annotations.Nullable;

/** A ring of posted receives, of a queue pair or shared. Guarded by the fabric's lock. */
final class ReceiveQueue {
  /** A slot of the ring. */
  static final class Request {
    final ScatterList pieces;
    long wrId;

    Request(int maxSges) {
      pieces = new ScatterList(maxSges);
    }
  }

  private final @Nullable Request[] slots;
  private final int maxSges;
  private long taken;
  private long posted;

  ReceiveQueue(int capacity, int maxSges) {
    this.maxSges = maxSges;
    slots = new Request[capacity];
  }

  int capacity() {
    return slots.length;
  }

  int size() {
    return (int) (posted - taken);
  }

  /** Posts receives, and returns the number of posted ones. */
  int post(String call, ReceiveBlock block, int first, int count) throws VerbsException {
    block.chain(first, count);
    for (int i = 0; i < count; i++) {
      if (size() == slots.length) {
        return i;
      }
      if (block.sgeCount(first + i) > maxSges) {
        throw new VerbsException(
            call, Errno.EINVAL, "a receive has more pieces than the " + maxSges + " of its queue.");
      }
      Request slot = slot((int) (posted % slots.length));
      slot.wrId = block.wrId(first + i);
      slot.pieces.load(block.address(first + i));
      posted++;
    }
    return count;
  }

  /** Returns a slot, made on first use because deep queues are mostly empty. */
  private Request slot(int index) {
    Request slot = slots[index];
    if (slot == null) {
      slots[index] = slot = new Request(maxSges);
    }
    return slot;
  }

  /** Takes the oldest receive, which must exist. It is valid until the next post. */
  Request take() {
    return slot((int) (taken++ % slots.length));
  }
}
