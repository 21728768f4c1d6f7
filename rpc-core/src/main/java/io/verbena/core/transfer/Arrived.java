package io.verbena.core.transfer;

import io.verbena.api.bulk.Received;
import io.verbena.core.bulk.BulkMemory;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** An object that has arrived. Safe for use by any thread. */
public final class Arrived implements Received {
  private final long length;
  private final @Nullable MemorySegment memory;
  private final BulkMemory.@Nullable Block block;
  private volatile boolean closed;

  private Arrived(long length, @Nullable MemorySegment memory, BulkMemory.@Nullable Block block) {
    this.length = length;
    this.memory = memory;
    this.block = block;
  }

  /** Makes an object that is not in memory. */
  public static Received elsewhere(long length) {
    return new Arrived(length, null, null);
  }

  /** Makes an object in memory. The memory is pooled if there is a block. */
  static Received in(MemorySegment memory, BulkMemory.@Nullable Block block) {
    return new Arrived(memory.byteSize(), memory, block);
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public MemorySegment memory() {
    if (memory == null) {
      throw new IllegalStateException("this object is not in memory: it is at its destination");
    }
    if (closed) {
      throw new IllegalStateException("this object is closed, and its memory was released");
    }
    return memory;
  }

  @Override
  public String toString() {
    String where = "at its destination";
    if (memory != null) {
      where = block == null ? "in its receiver's memory" : "in pooled memory";
    }
    return "an object of " + length + " bytes, " + where + (closed ? ", closed" : "");
  }

  @Override
  public void close() {
    if (block != null) {
      closed = true;
      block.release();
    }
  }
}
