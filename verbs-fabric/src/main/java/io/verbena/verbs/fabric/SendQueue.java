package io.verbena.verbs.fabric;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

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
  private final SendRequest[] slots;
  private final MemorySegment inlineSpace;
  long freed;
  long acked;
  long sent;
  long posted;

  SendQueue(int capacity, int maxSges, int maxInline) {
    inlineSpace = Arena.ofAuto().allocate(Math.max(1, (long) capacity * maxInline));
    slots = new SendRequest[capacity];
    for (int i = 0; i < capacity; i++) {
      slots[i] = new SendRequest(maxSges, inlineSpace.address() + (long) i * maxInline);
    }
  }

  SendRequest at(long index) {
    return slots[(int) (index % slots.length)];
  }

  boolean isFull() {
    return posted - freed == slots.length;
  }

  int capacity() {
    return slots.length;
  }
}
