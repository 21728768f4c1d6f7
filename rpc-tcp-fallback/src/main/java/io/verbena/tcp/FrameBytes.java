package io.verbena.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.MessageSizeEstimator;

/**
 * Counts, of what waits for a socket, this process's own bytes: those of frames. Chunks lie in
 * memory and files that are there anyhow, are bounded by the window of the bulk port, and must not
 * keep frames from being sent behind them.
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
    // What wraps memory of others belongs to no pool.
    return message instanceof ByteBuf bytes && bytes.alloc() != UnpooledByteBufAllocator.DEFAULT
        ? bytes.readableBytes()
        : 0;
  }
}
