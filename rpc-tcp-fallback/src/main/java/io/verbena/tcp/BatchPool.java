package io.verbena.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;

/**
 * A pool of buffers that gather frames for one write. Few are in use at a time, because a link
 * returns its buffer as soon as the socket has taken the bytes.
 */
final class BatchPool {
  /** The most bytes of one write, unless a single frame is longer. */
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

  /** Takes back a buffer. The socket may still read from it. */
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
