package io.verbena.link.memory;

import io.verbena.codec.LargeValues;
import io.verbena.codec.WireEncoder;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * A fixed piece of long-lived memory for one frame. The caller encodes into it, the session sends
 * it, and then it returns to its pool. A message that is longer than the slot spills into another
 * buffer, and the session splits it into frames.
 *
 * <p>A slot is handed from thread to thread and does not synchronize itself. After the caller has
 * handed it to the session's event loop, only that loop calls {@link #hold} and {@link #release}.
 */
public final class Slot {
  /** No deadline. */
  public static final long NO_DEADLINE = Long.MIN_VALUE;

  /**
   * The number of bytes before a pool's slot that the link may use, to send its own header with the
   * frame.
   */
  public static final int LEAD = 8;

  private final ByteBuffer buffer;
  private final @Nullable ByteBuffer led;
  private final long address;
  private final @Nullable SlotPool pool;
  private final @Nullable Semaphore place;
  private @Nullable WireEncoder encoder;
  private @Nullable ByteBuffer spilled;
  private @Nullable LargeValues largeValues;
  private int length;
  private long first;
  private long third;
  private int holders;
  private long deadlineNanos;
  private Quota.@Nullable Share chargedTo;
  private long charged;

  /** Makes a slot on the heap. */
  private Slot(ByteBuffer buffer, @Nullable Semaphore place) {
    this.buffer = buffer;
    this.led = null;
    this.address = 0;
    this.pool = null;
    this.place = place;
  }

  /**
   * Makes a slot of a pool.
   *
   * @param led its memory and the {@link #LEAD} bytes before it
   */
  Slot(ByteBuffer led, SlotPool pool) {
    this.buffer = led.slice(LEAD, led.capacity() - LEAD);
    this.led = led;
    this.address = MemorySegment.ofBuffer(buffer).address();
    this.pool = pool;
    this.place = null;
  }

  /** Returns a claimed slot without a pool, for a frame that must not wait for one. */
  public static Slot unpooled(int bytes) {
    return onHeap(bytes, null);
  }

  /**
   * Returns a claimed slot without a pool that holds a permit. The last release returns the permit.
   */
  static Slot onHeap(int bytes, @Nullable Semaphore place) {
    Slot slot = new Slot(ByteBuffer.allocate(bytes), place);
    slot.claimed();
    return slot;
  }

  /** Returns the memory. Use absolute indices; position and limit have no meaning. */
  public ByteBuffer buffer() {
    return buffer;
  }

  /** Returns the memory and the {@link #LEAD} bytes before it; null for a slot without a pool. */
  public @Nullable ByteBuffer led() {
    return led;
  }

  /** Returns the address of {@link #buffer}. Valid only if {@link #led} is not null. */
  public long address() {
    return address;
  }

  /** Returns the capacity in bytes. */
  public int capacity() {
    return buffer.capacity();
  }

  /** Returns the slot's own encoder, which is reused for each message. */
  public WireEncoder encoder() {
    WireEncoder e = encoder;
    if (e == null) {
      e = new WireEncoder();
      encoder = e;
    }
    return e;
  }

  /**
   * Ends encoding. The slot then has the content and length that the encoder wrote.
   *
   * @return the large values that travel beside the message; null if there are none
   */
  public @Nullable LargeValues encoded(int headerBytes) {
    dropLargeValues();
    WireEncoder e = encoder();
    LargeValues beside = e.finish();
    largeValues = beside;
    spilled = e.spilled() ? e.buffer() : null;
    length = headerBytes + e.length();
    return beside;
  }

  /**
   * Returns the memory that holds the whole message: the slot's own, or the buffer into which it
   * spilled.
   */
  public ByteBuffer content() {
    return spilled != null ? spilled : buffer;
  }

  /**
   * Returns the memory that it holds on the heap, in bytes; 0 if a pooled slot holds the message.
   */
  public int onHeap() {
    if (spilled != null) {
      return spilled.capacity();
    }
    return pool == null ? buffer.capacity() : 0;
  }

  /**
   * Counts so many bytes against a share until the slot is released.
   *
   * @param taken how many of them were taken from the share already
   */
  public void charge(Quota.Share share, long bytes, long taken) {
    uncharge();
    share.takeAnyway(bytes - taken);
    chargedTo = share;
    charged = bytes;
  }

  private void uncharge() {
    Quota.Share share = chargedTo;
    if (share != null) {
      chargedTo = null;
      share.give(charged);
    }
  }

  /** Returns the large values that travel beside the message; null if there are none. */
  public @Nullable LargeValues largeValues() {
    return largeValues;
  }

  /** Returns the large values. The caller must close them. */
  public @Nullable LargeValues takeLargeValues() {
    LargeValues taken = largeValues;
    largeValues = null;
    return taken;
  }

  private void dropLargeValues() {
    if (largeValues != null) {
      largeValues.close();
      largeValues = null;
    }
  }

  /** Returns the length of the message in bytes, header included. */
  public int length() {
    return length;
  }

  /** Sets the length of the frame in bytes. */
  public void length(int length) {
    if (length < 0 || length > buffer.capacity()) {
      throw new IllegalArgumentException(length + " bytes in a slot of " + buffer.capacity());
    }
    this.length = length;
  }

  /**
   * Sets two words of the message's header: the first, as far as it is known before sending, and
   * the third.
   */
  public void header(long first, long third) {
    this.first = first;
    this.third = third;
  }

  /** Returns the header's first word. */
  public long first() {
    return first;
  }

  /** Returns the header's third word. */
  public long third() {
    return third;
  }

  /** Returns the deadline of the call in it, or {@link #NO_DEADLINE}. */
  public long deadlineNanos() {
    return deadlineNanos;
  }

  /** Sets the deadline of the call in it. */
  public void deadlineNanos(long deadlineNanos) {
    this.deadlineNanos = deadlineNanos;
  }

  void claimed() {
    holders = 1;
    length = 0;
    spilled = null;
    deadlineNanos = NO_DEADLINE;
  }

  /** Keeps the slot out of its pool until one more {@link #release}. */
  public void hold() {
    if (holders == 0) {
      throw new IllegalStateException("slot is not claimed");
    }
    holders++;
  }

  /** Releases the slot. The last release returns it to its pool. */
  public void release() {
    if (holders == 0) {
      throw new IllegalStateException("slot was released already");
    }
    holders--;
    if (holders == 0) {
      spilled = null;
      dropLargeValues();
      uncharge();
      if (encoder != null) {
        encoder.drop(); // otherwise a pool of small slots would keep long messages alive
      }
      if (pool != null) {
        pool.putBack(this);
      } else if (place != null) {
        place.release();
      }
    }
  }
}
