package io.verbena.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;

/**
 * The one buffer that all plaintext links of a loop are read into. A link takes what it needs out
 * of it before the next is read, so that a thousand idle links hold no receive memory.
 */
final class ReceiveBuffer extends DefaultMaxMessagesRecvByteBufAllocator {
  /** What one read takes at most: enough for hundreds of small frames in one system call. */
  private static final int BYTES = 64 << 10;

  /** Reads of one link before others have their turn. */
  private static final int READS_IN_A_ROW = 4;

  private final ByteBuf buffer;

  ReceiveBuffer(ByteBufAllocator allocator) {
    super(READS_IN_A_ROW);
    this.buffer = allocator.directBuffer(BYTES, BYTES);
  }

  @Override
  @SuppressWarnings("deprecation") // Handle is what the interface returns
  public Handle newHandle() {
    return new MaxMessageHandle() {
      @Override
      public int guess() {
        return BYTES;
      }

      @Override
      public ByteBuf allocate(ByteBufAllocator allocator) {
        // In use only if a frame's listener makes the loop read again, from within the frame.
        return buffer.refCnt() == 1 ? buffer.clear().retain() : allocator.directBuffer(BYTES);
      }
    };
  }

  void release() {
    buffer.release();
  }
}
