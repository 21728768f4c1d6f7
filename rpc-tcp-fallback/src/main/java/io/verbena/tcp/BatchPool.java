package io.verbena.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;

/**
 * The buffers that frames are gathered in for one write. Few are in use at a time, since a link
 * gives its own back as soon as the socket has taken what is in it.
 */
final class BatchPool {
  /** What is written at once at most, unless one frame alone is longer. */
  static final int BATCH_BYTES = 64 << 10;

  private static final int KEPT = 8;

  private final ByteBufAllocator allocator;
  private final ArrayDeque<ByteBuf> free = new ArrayDeque<>(KEPT);

  BatchPool(ByteBufAllocator allocator) {
    this.allocator = allocator;
  }

  /** Returns an empty buffer with room for at least so many bytes. */
  ByteBuf take(int bytes) {
    if (bytes > BATCH_BYTES) {
      return allocator.directBuffer(bytes);
    }
    ByteBuf batch = free.pollFirst();
    return batch != null ? batch : allocator.directBuffer(BATCH_BYTES);
  }

  /** Takes back a buffer, whether or not the socket still reads from it. */
  void giveBack(ByteBuf batch) {
    if (batch.refCnt() == 1 && batch.capacity() == BATCH_BYTES && free.size() < KEPT) {
      free.addFirst(batch.clear());
    } else {
      batch.release();
    }
  }

  void release() {
    free.forEach(ByteBuf::release);
    free.clear();
  }
}
