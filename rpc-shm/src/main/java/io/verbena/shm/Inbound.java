package io.verbena.shm;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Where a frame is while its listener has it, since the peer may change what is in the ring. One
 * for all links of a driver, as one frame at a time is handed over.
 */
final class Inbound {
  private static final int SMALLEST = 4096;

  private ByteBuffer frame = ByteBuffer.allocateDirect(SMALLEST);
  private MemorySegment memory = MemorySegment.ofBuffer(frame);

  /** Makes room for a frame; returns whether there is memory for that outside the heap. */
  boolean fits(int length) {
    if (length <= frame.capacity()) {
      return true;
    }
    try {
      frame = ByteBuffer.allocateDirect(Integer.highestOneBit(length - 1) * 2);
      memory = MemorySegment.ofBuffer(frame);
      return true;
    } catch (OutOfMemoryError e) {
      return false;
    }
  }

  /** Copies a frame that fits; valid until the next one is copied. */
  ByteBuffer copy(MemorySegment from, long offset, int length) {
    MemorySegment.copy(from, offset, memory, 0, length);
    return frame;
  }
}
