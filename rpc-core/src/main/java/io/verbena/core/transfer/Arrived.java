package io.verbena.core.transfer;

import io.verbena.api.bulk.Received;
import io.verbena.core.bulk.BulkMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * An object that has arrived. Pooled memory is lent as a read-only view, whose scope ends with the
 * object: the next object has the same memory. Safe for use by any thread.
 */
public final class Arrived implements Received {
  private final long length;
  private final @Nullable MemorySegment memory;
  private final BulkMemory.@Nullable Block block;
  private @Nullable MemorySegment view;

  /** Ends the scope of the view; null before there is one, or if the block does. */
  private @Nullable Arena arena;

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

  /**
   * Returns whether a view of pooled memory can have a scope of its own. Without native access, the
   * JDK would warn of that or refuse it.
   */
  static boolean canLend() {
    return Arrived.class.getModule().isNativeAccessEnabled();
  }

  boolean isPooled() {
    return block != null;
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public synchronized MemorySegment memory() {
    if (memory == null) {
      throw new IllegalStateException("this object is not in memory: it is at its destination");
    }
    if (closed) {
      throw new IllegalStateException("this object is closed, and its memory was released");
    }
    if (block == null) {
      return memory;
    }
    MemorySegment lent = view;
    if (lent == null) {
      lent = lend(memory, block);
      view = lent;
    }
    return lent;
  }

  @SuppressWarnings("restricted") // native access is enabled
  private MemorySegment lend(MemorySegment pooled, BulkMemory.Block from) {
    if (from.isFreed()) {
      return pooled.asReadOnly();
    }
    Arena ends = Arena.ofShared();
    arena = ends;
    return pooled.reinterpret(ends, null).asReadOnly();
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
  public synchronized void close() {
    if (block == null || closed) {
      return;
    }
    try {
      if (arena != null) {
        arena.close();
      }
      block.release();
    } catch (IllegalStateException e) {
      throw new IllegalStateException(
          "the memory of this object is in use by an operation of a channel or of another library:"
              + " close the object after that",
          e);
    }
    closed = true;
    view = null;
  }
}
