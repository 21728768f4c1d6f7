package io.verbena.shm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * A private copy of the frame that a listener reads, because the peer may change the ring's memory.
 * All links of a driver share it: one frame at a time is handed over.
 */
final class Inbound {
  private static final int SMALLEST = 4096;

  private final Arena arena;
  private MemorySegment memory;
  private ByteBuffer frame;

  Inbound(Arena arena) {
    this.arena = arena;
    this.memory = arena.allocate(SMALLEST);
    this.frame = memory.asByteBuffer();
  }

  /** Makes room for a frame; returns whether the system has memory for that. */
  boolean fits(int length) {
    if (length <= frame.capacity()) {
      return true;
    }
    try {
      memory = arena.allocate(Integer.highestOneBit(length - 1) * 2L);
      frame = memory.asByteBuffer();
      return true;
    } catch (OutOfMemoryError e) {
      return false;
    }
  }

  /** Copies a frame that fits. The copy is valid until the next call. */
  ByteBuffer copy(MemorySegment from, long offset, int length) {
    MemorySegment.copy(from, offset, memory, 0, length);
    return frame;
  }
}
