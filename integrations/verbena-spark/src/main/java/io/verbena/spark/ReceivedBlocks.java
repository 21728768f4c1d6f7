package io.verbena.spark;

import io.netty.buffer.Unpooled;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.util.ByteBufferInputStream;

/** Blocks that arrived together, in memory that is free when the last of them is released. */
final class ReceivedBlocks {
  private final AtomicInteger unreleased;
  private final Runnable released;
  private final Runnable free;

  private ReceivedBlocks(int blocks, Runnable released, Runnable free) {
    this.unreleased = new AtomicInteger(blocks);
    this.released = released;
    this.free = free;
  }

  /**
   * Returns a buffer for each block, each with one reference.
   *
   * @param released runs after the release of each block
   * @param free runs after that of the last one
   */
  static ManagedBuffer[] slices(
      MemorySegment memory, int blocks, Runnable released, Runnable free) {
    BlockTable table = BlockTable.of(memory, blocks);
    ReceivedBlocks all = new ReceivedBlocks(blocks, released, free);
    ManagedBuffer[] slices = new ManagedBuffer[blocks];
    for (int i = 0; i < blocks; i++) {
      slices[i] = all.new Block(memory.asSlice(table.offset(i), table.length(i)));
    }
    return slices;
  }

  private final class Block extends ManagedBuffer {
    private final AtomicInteger references = new AtomicInteger(1);
    private final MemorySegment memory;

    Block(MemorySegment memory) {
      this.memory = memory;
    }

    @Override
    public long size() {
      return memory.byteSize();
    }

    @Override
    public ByteBuffer nioByteBuffer() {
      return memory.asByteBuffer().asReadOnlyBuffer();
    }

    @Override
    public InputStream createInputStream() {
      return new ByteBufferInputStream(nioByteBuffer());
    }

    @Override
    public ManagedBuffer retain() {
      if (references.getAndUpdate(count -> count == 0 ? 0 : count + 1) == 0) {
        throw new IllegalStateException("the block is released");
      }
      return this;
    }

    @Override
    public ManagedBuffer release() {
      int before = references.getAndUpdate(count -> Math.max(0, count - 1));
      if (before == 1) {
        released.run();
        if (unreleased.decrementAndGet() == 0) {
          free.run();
        }
      }
      return this;
    }

    @Override
    public Object convertToNetty() {
      return Unpooled.wrappedBuffer(nioByteBuffer());
    }

    @Override
    public Object convertToNettyForSsl() {
      return convertToNetty();
    }
  }
}
