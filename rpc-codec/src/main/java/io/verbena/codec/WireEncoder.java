package io.verbena.codec;

import io.verbena.api.wire.WireException;
import io.verbena.api.wire.WireOut;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Encodes one message at a time into a slot. A message that outgrows its slot moves to a heap
 * buffer, which doubles when needed. So the size of a slot does not limit a message.
 *
 * <pre>
 *   slot, or the heap buffer after a spill:
 *   0          start                         start + length()
 *   | untouched  | encoded                     | free
 *                  record: varint length, then its members
 *                  string: varint length in bytes, then UTF-8
 * </pre>
 *
 * <p>An encoder is reusable and allocates only when it spills. For use by one thread at a time.
 */
public final class WireEncoder implements WireOut {
  private static final ByteBuffer NONE = ByteBuffer.allocate(0);

  /** A message that needs more memory for compression is not compressed. */
  private static final int MOST_COMPRESSED = 1 << 30;

  /** Compression that saves less than this part is not worth the peer's time and memory. */
  private static final int LEAST_SAVED = 8;

  private ByteBuffer buffer = NONE;

  /** The slot of the message. */
  private ByteBuffer home = NONE;

  private int start;
  private int position;
  private int limit;
  private int maxMessageBytes;
  private int depth;
  private int maxDepth;
  private boolean spilled;
  private long cutOff = Long.MAX_VALUE;
  private @Nullable Supplier<? extends LargeValues> largeValuesMaker;
  private @Nullable LargeValues largeValues;
  private @Nullable MessageStreams streams;
  private @Nullable Growth growth;

  /** The remedy for a large value that found no room beside the message; null if all found room. */
  private @Nullable String cure;

  /** Provides the heap memory of a message that outgrows its slot. */
  @FunctionalInterface
  public interface Growth {
    /**
     * The message is about to move to a longer buffer, and needs both until it has moved.
     *
     * @param from the heap memory of its present buffer in bytes; 0 if it is in its slot
     * @param to the heap memory of the longer buffer in bytes
     * @throws WireException if there is no memory. The message then ends
     */
    void grow(int from, int to);
  }

  /**
   * Starts a message.
   *
   * @param slot the buffer to write, by absolute index from {@code position} to the slot's limit,
   *     big-endian. Its position and limit do not change
   * @param position the start of the message. Bytes before it are copied on a spill
   * @param maxMessageBytes the most bytes that the message may take, from {@code position}
   * @param maxDepth the most records that may be open at once
   */
  public void start(ByteBuffer slot, int position, int maxMessageBytes, int maxDepth) {
    if (slot.order() != ByteOrder.BIG_ENDIAN) {
      throw new IllegalArgumentException("a slot must be big-endian");
    }
    if (position < 0 || position > slot.limit() || maxMessageBytes < 0) {
      throw new IllegalArgumentException(
          "no message of " + maxMessageBytes + " bytes from " + position + " in " + slot);
    }
    this.buffer = slot;
    this.home = slot;
    this.start = position;
    this.position = position;
    this.maxMessageBytes = maxMessageBytes;
    this.limit = (int) Math.min(slot.limit(), (long) position + maxMessageBytes);
    this.depth = 0;
    this.maxDepth = maxDepth;
    this.spilled = false;
    this.cure = null;
    this.streams = null;
    this.growth = null;
    dropLargeValues();
  }

  /**
   * Lets large values travel beside the message that was started.
   *
   * @param cutOff the length of the shortest large value, in bytes, at least 1
   * @param maker makes their holder for the first of them
   */
  public void takeOut(long cutOff, Supplier<? extends LargeValues> maker) {
    this.cutOff = cutOff;
    this.largeValuesMaker = maker;
  }

  /** Asks for the heap memory of the message that was started. Otherwise it is simply allocated. */
  public void setGrowth(Growth provider) {
    growth = provider;
  }

  /**
   * Ends the message. Returns its large values, which then belong to the caller, or null if it has
   * none.
   */
  public @Nullable LargeValues finish() {
    LargeValues taken = largeValues;
    if (taken != null) {
      int table = position;
      taken.writeTable(this);
      writeInt(position - table);
      largeValues = null;
    }
    growth = null; // a pooled encoder does not keep it alive
    return taken;
  }

  private void dropLargeValues() {
    cutOff = Long.MAX_VALUE;
    largeValuesMaker = null;
    if (largeValues != null) {
      largeValues.close();
      largeValues = null;
    }
  }

  private boolean takesOut(MemorySegment value, boolean array) {
    Supplier<? extends LargeValues> maker = largeValuesMaker;
    if (maker == null) {
      return false;
    }
    LargeValues before = largeValues;
    LargeValues taking = before == null ? maker.get() : before;
    largeValues = taking; // if this throws, it is dropped with the message
    int index = taking.take(value, array);
    if (index == LargeValues.NOT_TAKEN) {
      cure = taking.cure();
      largeValues = before; // a message without large values has no table
      return false;
    }
    writeVarInt(LargeValues.OUTSIDE);
    writeVarInt(index);
    return true;
  }

  /**
   * Sets the streams of the message that was started. A message without them may not contain a
   * stream.
   */
  public void streams(MessageStreams knowing) {
    streams = knowing;
  }

  @Override
  public <T> void writeStream(Flow.Publisher<T> items, BiConsumer<WireOut, T> item) {
    MessageStreams knowing = streams;
    if (knowing == null) {
      throw new WireException(
          "a stream is an argument or a result of a call, never part of a value");
    }
    knowing.write(this, items, item);
  }

  /** Returns whether some values travel beside the message. */
  public boolean hasLargeValues() {
    return largeValues != null;
  }

  /** Returns whether the message has outgrown its slot. {@link #buffer()} is then a new one. */
  public boolean spilled() {
    return spilled;
  }

  /**
   * Returns the buffer that holds the message, from its start position. It is the slot, or after a
   * spill a heap buffer, which then belongs to the caller.
   */
  public ByteBuffer buffer() {
    return buffer;
  }

  /** Returns the number of bytes written so far. */
  public int length() {
    return position - start;
  }

  /**
   * Shortens the message, and drops all values that travel beside it.
   *
   * @param length the remaining length in bytes
   */
  public void takeBack(int length) {
    if (spilled && start + length <= home.limit()) { // what fits into a slot is sent from there
      home.put(start, buffer, start, length);
      buffer = home;
      spilled = false;
    }
    dropLargeValues();
    position = start + length;
    depth = 0;
  }

  /**
   * Compresses the bytes written so far, if that makes them shorter by at least an eighth. Returns
   * whether it did.
   */
  boolean compress(Lz4 by) {
    int plain = length();
    long most = Compression.mostCompressed(plain);
    if (largeValues != null || most > MOST_COMPRESSED) {
      return false;
    }
    byte[] block = new byte[(int) most];
    int length = by.compress(buffer, start, plain, block);
    int size = VarInts.sizeOf(plain) + length;
    if (size > plain - plain / LEAST_SAVED) {
      return false;
    }
    spilled = size > home.limit() - start;
    buffer = spilled ? ByteBuffer.allocate(start + size) : home;
    limit = (int) Math.min(buffer.limit(), (long) start + maxMessageBytes);
    position = start;
    writeVarInt(plain);
    int at = claim(length);
    buffer.put(at, block, 0, length);
    return true;
  }

  /**
   * Forgets a message that is large or has a stream, so that a pooled encoder does not keep it
   * alive.
   */
  public void drop() {
    if (!spilled && largeValues == null && streams == null) {
      return;
    }
    dropLargeValues();
    streams = null;
    buffer = NONE;
    home = NONE;
    start = 0;
    position = 0;
    limit = 0;
    spilled = false;
  }

  @Override
  public void writeBoolean(boolean value) {
    writeByte(value ? 1 : 0);
  }

  @Override
  public void writeByte(int value) {
    int at = claim(1);
    buffer.put(at, (byte) value);
  }

  @Override
  public void writeShort(int value) {
    int at = claim(Short.BYTES);
    buffer.putShort(at, (short) value);
  }

  @Override
  public void writeChar(char value) {
    int at = claim(Character.BYTES);
    buffer.putChar(at, value);
  }

  @Override
  public void writeInt(int value) {
    int at = claim(Integer.BYTES);
    buffer.putInt(at, value);
  }

  @Override
  public void writeLong(long value) {
    int at = claim(Long.BYTES);
    buffer.putLong(at, value);
  }

  @Override
  public void writeFloat(float value) {
    writeInt(Float.floatToRawIntBits(value));
  }

  @Override
  public void writeDouble(double value) {
    writeLong(Double.doubleToRawLongBits(value));
  }

  @Override
  public void writeVarInt(int value) {
    putVar(claim(VarInts.sizeOf(value)), value);
  }

  @Override
  public void writeVarLong(long value) {
    int at = claim(VarInts.sizeOf(value));
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      buffer.put(at++, (byte) (rest | 0x80));
      rest >>>= 7;
    }
    buffer.put(at, (byte) rest);
  }

  @Override
  public void writeCount(int count) {
    if (count < 0) {
      throw new WireException("a count cannot be negative: " + count);
    }
    writeVarInt(count);
  }

  @Override
  public void writeString(String value) {
    int length = Utf8.length(value);
    writeVarInt(length);
    int at = claim(length);
    Utf8.put(buffer, at, value, length);
  }

  @Override
  public void writeBytes(byte[] value) {
    if (value.length >= cutOff && takesOut(MemorySegment.ofArray(value), true)) {
      return;
    }
    writeVarInt(value.length);
    int at = claim(value.length);
    buffer.put(at, value);
  }

  /** Writes bytes without their length. They never travel beside the message. */
  public void writeRaw(byte[] value) {
    int at = claim(value.length);
    buffer.put(at, value);
  }

  @Override
  public void writeBuffer(ByteBuffer value) {
    int length = value.remaining();
    if (length >= cutOff && takesOut(MemorySegment.ofBuffer(value), true)) {
      return;
    }
    writeVarInt(length);
    put(value);
  }

  /** Writes what remains of buffers as one value into the message, never beside it. */
  public void writeWithin(List<ByteBuffer> parts) {
    int length = 0;
    for (ByteBuffer part : parts) {
      length += part.remaining();
    }
    writeVarInt(length);
    for (ByteBuffer part : parts) {
      put(part);
    }
  }

  private void put(ByteBuffer value) {
    int length = value.remaining();
    int at = claim(length);
    buffer.put(at, value, value.position(), length);
  }

  @Override
  public void writeSegment(MemorySegment value) {
    long size = value.byteSize();
    if (size >= cutOff && takesOut(value, false)) {
      return;
    }
    if (size > maxMessageBytes) {
      throw tooLarge(size);
    }
    int length = (int) size;
    writeVarInt(length);
    int at = claim(length);
    if (length > 0) {
      MemorySegment.copy(value, 0, MemorySegment.ofBuffer(buffer.slice(at, length)), 0, length);
    }
  }

  @Override
  public int beginRecord() {
    if (depth == maxDepth) {
      throw new WireException(
          "records nest more than " + maxDepth + " deep; raise maxDepth on both ends or flatten");
    }
    depth++;
    return claim(1);
  }

  /**
   * Most records need only the one byte that was reserved for their length. A longer record is
   * moved.
   */
  @Override
  public void endRecord(int mark) {
    depth--;
    int body = mark + 1;
    int length = position - body;
    int more = VarInts.sizeOf(length) - 1;
    if (more > 0) {
      claim(more);
      buffer.put(body + more, buffer, body, length);
    }
    putVar(mark, length);
  }

  private void putVar(int index, int value) {
    int at = index;
    int rest = value;
    while ((rest & ~0x7f) != 0) {
      buffer.put(at++, (byte) (rest | 0x80));
      rest >>>= 7;
    }
    buffer.put(at, (byte) rest);
  }

  /** Reserves so many bytes and returns their start. Read {@link #buffer} only after it. */
  private int claim(int bytes) {
    int at = position;
    if (bytes > limit - at) {
      grow(bytes);
    }
    position = at + bytes;
    return at;
  }

  private void grow(int bytes) {
    long needed = (long) length() + bytes;
    if (needed > maxMessageBytes) {
      throw tooLarge(needed);
    }
    long doubled = Math.max(needed, 2L * Math.max(limit - start, 512));
    int capacity = start + (int) Math.min(doubled, maxMessageBytes);
    if (growth != null) {
      growth.grow(spilled ? buffer.capacity() : 0, capacity);
    }
    ByteBuffer larger = ByteBuffer.allocate(capacity);
    larger.put(0, buffer, 0, position);
    buffer = larger;
    limit = capacity;
    spilled = true;
  }

  private WireException tooLarge(long needed) {
    return new WireException(
        "the message needs at least "
            + needed
            + " bytes, "
            + (cure == null ? "" : "because a large value found no room beside it, ")
            + "but the limit is "
            + maxMessageBytes
            + "; "
            + (cure == null ? "raise maxMessageBytes on both ends" : cure + ",")
            + " or send less at once");
  }
}
