package io.verbena.verbs.fabric;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A ring of send requests.
 *
 * <pre>
 *   freed &lt;= acked &lt;= sent &lt;= posted &lt;= freed + capacity
 *     |        |       |        |
 *     |        |       |        next slot to fill
 *     |        |       next to be carried out at the peer
 *     |        next to complete
 *     first whose slot cannot be used again
 * </pre>
 */
final class SendQueue {
  private final @Nullable SendRequest[] slots;
  private final MemorySegment inlineSpace;
  private final int maxSges;
  private final int maxInline;
  long freed;
  long acked;
  long sent;
  long posted;

  SendQueue(int capacity, int maxSges, int maxInline) {
    this.maxSges = maxSges;
    this.maxInline = maxInline;
    inlineSpace = Arena.ofAuto().allocate(Math.max(1, (long) capacity * maxInline));
    slots = new SendRequest[capacity];
  }

  /** Returns a slot, made on first use because deep queues are mostly empty. */
  SendRequest at(long index) {
    int at = (int) (index % slots.length);
    SendRequest slot = slots[at];
    if (slot == null) {
      slots[at] = slot = new SendRequest(maxSges, inlineSpace.address() + (long) at * maxInline);
    }
    return slot;
  }

  boolean isFull() {
    return posted - freed == slots.length;
  }

  int capacity() {
    return slots.length;
  }
}
