package io.verbena.core.memory;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A fixed piece of long-lived memory that holds one frame, on its way from the caller that encodes
 * it, through its session, back to its pool.
 *
 * <p>Ownership passes by hand-over between threads and is not synchronized here: {@link #hold} and
 * {@link #release} are called by the session's event loop alone once the slot has been handed to
 * it.
 */
public final class Slot {
  private final ByteBuffer buffer;
  private final @Nullable SlotPool pool;
  private int length;
  private int holders;

  Slot(ByteBuffer buffer, @Nullable SlotPool pool) {
    this.buffer = buffer;
    this.pool = pool;
  }

  /** Returns a slot of its own memory that belongs to no pool, for a frame that must not wait. */
  public static Slot unpooled(int bytes) {
    Slot slot = new Slot(ByteBuffer.allocate(bytes), null);
    slot.holders = 1;
    return slot;
  }

  /** Returns the memory. Use absolute indices; position and limit mean nothing. */
  public ByteBuffer buffer() {
    return buffer;
  }

  /** Returns how many bytes fit. */
  public int capacity() {
    return buffer.capacity();
  }

  /** Returns how long the frame in it is. */
  public int length() {
    return length;
  }

  /** Says how long the frame in it is. */
  public void length(int length) {
    if (length < 0 || length > buffer.capacity()) {
      throw new IllegalArgumentException(length + " bytes in a slot of " + buffer.capacity());
    }
    this.length = length;
  }

  void claimed() {
    holders = 1;
    length = 0;
  }

  /** Keeps the slot from its pool until one more {@link #release}. */
  public void hold() {
    if (holders == 0) {
      throw new IllegalStateException("slot is not claimed");
    }
    holders++;
  }

  /** Lets go of the slot; the last one to do so returns it to its pool. */
  public void release() {
    if (holders == 0) {
      throw new IllegalStateException("slot was released already");
    }
    holders--;
    if (holders == 0 && pool != null) {
      pool.putBack(this);
    }
  }
}
