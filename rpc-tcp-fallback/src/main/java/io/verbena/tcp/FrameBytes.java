package io.verbena.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.MessageSizeEstimator;

/**
 * Counts the bytes that wait for a socket, without those of chunks. Chunks stay in memory and files
 * that exist anyway, and the window of the bulk port bounds them. They must not keep frames from
 * being queued after them.
 */
final class FrameBytes implements MessageSizeEstimator, MessageSizeEstimator.Handle {
  static final FrameBytes COUNTED = new FrameBytes();

  private FrameBytes() {}

  @Override
  public Handle newHandle() {
    return this;
  }

  @Override
  public int size(Object message) {
    // A buffer that wraps memory of others belongs to no pool.
    return message instanceof ByteBuf bytes && bytes.alloc() != UnpooledByteBufAllocator.DEFAULT
        ? bytes.readableBytes()
        : 0;
  }
}
