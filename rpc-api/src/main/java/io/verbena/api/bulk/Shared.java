package io.verbena.api.bulk;

import java.lang.foreign.MemorySegment;

/** Checks that memory can be handed to other threads. */
final class Shared {
  private Shared() {}

  static MemorySegment checked(MemorySegment memory, MemorySegment.Scope freedWith) {
    if (!memory.isAccessibleBy(Thread.ofVirtual().unstarted(() -> {}))) {
      throw new IllegalArgumentException(
          "this memory belongs to one thread, and others must read or write it: allocate it in"
              + " Arena.ofShared() or Arena.ofAuto()");
    }
    if (!memory.scope().isAlive() || !freedWith.isAlive()) {
      throw new IllegalArgumentException("this memory has been freed: its arena is closed");
    }
    return memory;
  }
}
