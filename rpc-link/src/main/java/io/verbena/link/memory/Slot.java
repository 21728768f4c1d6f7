package io.verbena.link.memory;

import io.verbena.codec.LargeValues;
import io.verbena.codec.WireEncoder;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * A fixed piece of long-lived memory that holds one frame, on its way from the caller that encodes
 * it, through its session, back to its pool. A message that is longer than the slot spills into a
 * buffer of its own and is cut into frames by its session.
 *
 * <p>Ownership passes by hand-over between threads and is not synchronized here: {@link #hold} and
 * {@link #release} are called by the session's event loop alone once the slot has been handed to
 * it.
 */
public final class Slot {
  /** No deadline. */
  public static final long NO_DEADLINE = Long.MIN_VALUE;

  /** So many bytes before a pool's slot are its link's, to send what goes before the frame. */
  public static final int LEAD = 8;

  private final ByteBuffer buffer;
  private final @Nullable ByteBuffer led;
  private final long address;
  private final @Nullable SlotPool pool;
  private final @Nullable Semaphore place;
  private @Nullable WireEncoder encoder;
  private @Nullable ByteBuffer spilled;
  private @Nullable LargeValues parts;
  private int length;
  private long first;
  private long third;
  private int holders;
  private long deadlineNanos;
  private Quota.@Nullable Share chargedTo;
  private long charged;

  /** A slot on the heap. */
  private Slot(ByteBuffer buffer, @Nullable Semaphore place) {
    this.buffer = buffer;
    this.led = null;
    this.address = 0;
    this.pool = null;
    this.place = place;
  }

  /**
   * A slot of a pool.
   *
   * @param led its memory, and {@link #LEAD} bytes before it
   */
  Slot(ByteBuffer led, SlotPool pool) {
    this.buffer = led.slice(LEAD, led.capacity() - LEAD);
    this.led = led;
    this.address = MemorySegment.ofBuffer(buffer).address();
    this.pool = pool;
    this.place = null;
  }

  /** Returns a claimed slot that belongs to no pool, for a frame that must not wait for one. */
  public static Slot unpooled(int bytes) {
    return onHeap(bytes, null);
  }

  /** Returns one like it that took a place of somebody's, who has it back with the last release. */
  static Slot onHeap(int bytes, @Nullable Semaphore place) {
    Slot slot = new Slot(ByteBuffer.allocate(bytes), place);
    slot.claimed();
    return slot;
  }

  /** Returns the memory. Use absolute indices; position and limit mean nothing. */
  public ByteBuffer buffer() {
    return buffer;
  }

  /** Returns the memory and {@link #LEAD} bytes before it; null where there are none. */
  public @Nullable ByteBuffer led() {
    return led;
  }

  /** Returns where {@link #buffer} begins in memory, where there is {@link #led}. */
  public long address() {
    return address;
  }

  /** Returns how many bytes fit. */
  public int capacity() {
    return buffer.capacity();
  }

  /** Returns the slot's own encoder, kept from message to message. */
  public WireEncoder encoder() {
    WireEncoder e = encoder;
    if (e == null) {
      e = new WireEncoder();
      encoder = e;
    }
    return e;
  }

  /**
   * Ends encoding: from here on the slot's content and length are what the encoder wrote.
   *
   * @return the large values that travel beside the message; null where there are none
   */
  public @Nullable LargeValues encoded(int headerBytes) {
    dropParts();
    WireEncoder e = encoder();
    LargeValues beside = e.finish();
    parts = beside;
    spilled = e.spilled() ? e.buffer() : null;
    length = headerBytes + e.length();
    return beside;
  }

  /** Returns the memory that holds the whole message: the slot's own, or what it spilled into. */
  public ByteBuffer content() {
    return spilled != null ? spilled : buffer;
  }

  /**
   * Returns the memory on the heap that it holds, in bytes; 0 where its message fits a pooled one.
   */
  public int onHeap() {
    if (spilled != null) {
      return spilled.capacity();
    }
    return pool == null ? buffer.capacity() : 0;
  }

  /** Has somebody's share count so many bytes for it until it is released. */
  public void charge(Quota.Share share, long bytes) {
    uncharge();
    share.takeAnyway(bytes);
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

  /** Returns the large values that travel beside the message; null where there are none. */
  public @Nullable LargeValues parts() {
    return parts;
  }

  /** Returns the large values, from now on the caller's to close. */
  public @Nullable LargeValues takeParts() {
    LargeValues taken = parts;
    parts = null;
    return taken;
  }

  private void dropParts() {
    if (parts != null) {
      parts.close();
      parts = null;
    }
  }

  /** Returns how long the message in it is, header included. */
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

  /**
   * Says what the message in it is, by what its header says of that: the first word, as far as it
   * is known before the frame leaves, and the third.
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

  /** Returns by when the call in it ends, or {@link #NO_DEADLINE}. */
  public long deadlineNanos() {
    return deadlineNanos;
  }

  /** Says by when the call in it ends. */
  public void deadlineNanos(long deadlineNanos) {
    this.deadlineNanos = deadlineNanos;
  }

  void claimed() {
    holders = 1;
    length = 0;
    spilled = null;
    deadlineNanos = NO_DEADLINE;
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
    if (holders == 0) {
      spilled = null;
      dropParts();
      uncharge();
      if (encoder != null) {
        encoder.drop(); // or a pool of small slots would keep as many long messages alive
      }
      if (pool != null) {
        pool.putBack(this);
      } else if (place != null) {
        place.release();
      }
    }
  }
}
