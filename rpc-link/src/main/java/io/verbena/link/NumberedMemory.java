package io.verbena.link;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * A range of this end's memory that is open for the peer, which knows it as a {@link
 * NumberedTarget}. It is for links that copy arriving bytes, from the beginning of the range to its
 * end. Its methods are called on the link's event loop.
 */
public abstract class NumberedMemory implements BulkTarget {
  /** The number of the range, which is unique for its link and at least 1. */
  public final long number;

  /** The range. */
  public final MemorySegment memory;

  private final Listener listener;
  private long arrived;

  /** Opens a range into which nothing has arrived yet. */
  protected NumberedMemory(long number, MemorySegment memory, Listener listener) {
    this.number = number;
    this.memory = memory;
    this.listener = listener;
  }

  /** Returns the number and the length of the range, 8 bytes each. */
  @Override
  public byte[] advertisement() {
    return ByteBuffer.allocate(NumberedTarget.ADVERTISEMENT_BYTES)
        .putLong(number)
        .putLong(memory.byteSize())
        .array();
  }

  /** Returns the number of bytes that have arrived. */
  public final long arrived() {
    return arrived;
  }

  /** Returns whether bytes from the peer are the next of the range, and fit into it. */
  public final boolean takesNext(long at, long bytes) {
    return at == arrived && bytes <= memory.byteSize() - at;
  }

  /** Returns the fault of bytes for which {@link #takesNext} is false. */
  public final String misfit(long at, long bytes) {
    return "the peer sent %d bulk bytes at %d of target %d, which has %d, and %d is next"
        .formatted(bytes, at, number, memory.byteSize(), arrived);
  }

  /**
   * Records the arrival of the next bytes.
   *
   * @param checkpoint whether the listener is called for them
   */
  public final void arrived(long bytes, boolean checkpoint) {
    arrived += bytes;
    if (checkpoint) {
      listener.onArrived(arrived);
    }
  }
}
