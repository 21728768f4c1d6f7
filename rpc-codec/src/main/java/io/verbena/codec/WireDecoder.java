package io.verbena.codec;

import io.verbena.api.wire.WireException;
import io.verbena.api.wire.WireIn;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.concurrent.Flow;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Decodes one message at a time in the buffer in which it arrived. It trusts nothing. Each length
 * is checked against the rest of the innermost record before memory is allocated for it. So a
 * message makes this process allocate at most a small multiple of its own size.
 *
 * <p>A decoder is reusable and allocates only the values that it returns. For use by one thread at
 * a time.
 */
public final class WireDecoder implements WireIn {
  private static final ByteBuffer NONE = ByteBuffer.allocate(0);

  /** Strings up to this many bytes are copied through one array that is kept. */
  private static final int SCRATCH_BYTES = 1024;

  /**
   * After so many records and collections of a long message the decoder checks whether to continue.
   */
  private static final int STEPS = 64;

  private final byte[] scratch = new byte[SCRATCH_BYTES];
  private ByteBuffer buffer = NONE;
  private int start;
  private int position;

  /** The end of the innermost open record, or of the message. */
  private int limit;

  private int end;
  private int depth;
  private int maxDepth;
  private @Nullable MemorySegment @Nullable [] largeValues;
  private @Nullable MessageStreams streams;

  private @Nullable BooleanSupplier unwanted;
  private int steps;

  /** The value of {@link #limit} outside each open record. */
  private int[] outerLimits = new int[16];

  /**
   * Starts a message.
   *
   * @param message the buffer that holds it, big-endian. Its position and limit do not change
   * @param from the index of its first byte
   * @param to the index after its last byte
   * @param maxDepth the most records that may be open at once
   */
  public void start(ByteBuffer message, int from, int to, int maxDepth) {
    if (message.order() != ByteOrder.BIG_ENDIAN) {
      throw new IllegalArgumentException("a message must be big-endian");
    }
    if (from < 0 || to < from || to > message.limit()) {
      throw new IllegalArgumentException(
          "no message from " + from + " to " + to + " in " + message);
    }
    this.buffer = message;
    this.start = from;
    this.position = from;
    this.limit = to;
    this.end = to;
    this.depth = 0;
    this.maxDepth = maxDepth;
  }

  /**
   * Sets the large values that arrived beside the next messages, in the order of their table:
   * arrays on the heap, and memory outside it. Null for messages without large values.
   */
  public void largeValues(@Nullable MemorySegment @Nullable [] values) {
    largeValues = values;
  }

  /** Ends decoding with a {@link WireException} when the message is no longer wanted. */
  public void endWhen(BooleanSupplier unwanted) {
    this.unwanted = unwanted;
  }

  private void step() {
    BooleanSupplier ends = unwanted;
    if (ends != null && ++steps % STEPS == 0 && ends.getAsBoolean()) {
      throw new WireException("the message is no longer wanted" + where());
    }
  }

  /** Returns the number of bytes that arrived beside the message. */
  public long bytesBeside() {
    @Nullable MemorySegment[] values = largeValues;
    long bytes = 0;
    if (values != null) {
      for (MemorySegment value : values) {
        bytes += value == null ? 0 : value.byteSize();
      }
    }
    return bytes;
  }

  /** Sets the streams of the next messages; null if they have none. */
  public void streams(@Nullable MessageStreams knowing) {
    streams = knowing;
  }

  @Override
  public <T> Flow.Publisher<T> readStream(Function<WireIn, T> item) {
    MessageStreams knowing = streams;
    if (knowing == null) {
      throw new WireException("a stream in a message that may not contain one");
    }
    return knowing.read(this, item);
  }

  /** Returns the number of bytes of the message that have not been read. */
  public int remaining() {
    return end - position;
  }

  @Override
  public boolean readBoolean() {
    byte value = readByte();
    if ((value & ~1) != 0) {
      throw new WireException("a boolean is " + value + where());
    }
    return value == 1;
  }

  @Override
  public byte readByte() {
    return buffer.get(take(1));
  }

  @Override
  public short readShort() {
    return buffer.getShort(take(Short.BYTES));
  }

  @Override
  public char readChar() {
    return buffer.getChar(take(Character.BYTES));
  }

  @Override
  public int readInt() {
    return buffer.getInt(take(Integer.BYTES));
  }

  @Override
  public long readLong() {
    return buffer.getLong(take(Long.BYTES));
  }

  @Override
  public float readFloat() {
    return Float.intBitsToFloat(readInt());
  }

  @Override
  public double readDouble() {
    return Double.longBitsToDouble(readLong());
  }

  @Override
  public int readVarInt() {
    byte next = readByte();
    int value = next & 0x7f;
    for (int shift = 7; next < 0; shift += 7) {
      next = readByte();
      if (shift == 28 && (next & 0xf0) != 0) {
        throw new WireException("a number has more than 32 bits" + where());
      }
      value |= (next & 0x7f) << shift;
    }
    return value;
  }

  @Override
  public long readVarLong() {
    byte next = readByte();
    long value = next & 0x7f;
    for (int shift = 7; next < 0; shift += 7) {
      next = readByte();
      if (shift == 63 && (next & 0xfe) != 0) {
        throw new WireException("a number has more than 64 bits" + where());
      }
      value |= (next & 0x7fL) << shift;
    }
    return value;
  }

  @Override
  public int readCount(int elementBytes) {
    if (elementBytes < 1) {
      throw new IllegalArgumentException("an element takes at least 1 byte, not " + elementBytes);
    }
    step();
    return checked(readVarInt(), elementBytes);
  }

  private int checked(int count, int elementBytes) {
    if (count < 0 || count > (limit - position) / elementBytes) {
      throw new WireException(
          (count & 0xffff_ffffL)
              + " elements cannot be in "
              + (limit - position)
              + " bytes"
              + where());
    }
    return count;
  }

  @Override
  public String readString() {
    int length = checked(readVarInt(), 1);
    int at = take(length);
    if (length == 0) {
      return "";
    }
    if (buffer.hasArray()) {
      return Utf8.decode(buffer.array(), buffer.arrayOffset() + at, length);
    }
    byte[] bytes = length <= SCRATCH_BYTES ? scratch : new byte[length];
    buffer.get(at, bytes, 0, length);
    return Utf8.decode(bytes, 0, length);
  }

  @Override
  public byte[] readBytes() {
    int length = readVarInt();
    return isOutside(length) ? (byte[]) outside(true).heapBase().orElseThrow() : bytes(length);
  }

  private byte[] bytes(int length) {
    byte[] bytes = new byte[checked(length, 1)];
    buffer.get(take(length), bytes);
    return bytes;
  }

  private boolean isOutside(int length) {
    return length == LargeValues.OUTSIDE && largeValues != null;
  }

  private MemorySegment outside(boolean array) {
    int index = readVarInt();
    @Nullable MemorySegment[] values = largeValues;
    MemorySegment value =
        values == null || index < 0 || index >= values.length ? null : values[index];
    if (values == null || value == null || (array && value.isNative())) {
      throw new WireException("no such value arrived beside the message: " + index + where());
    }
    values[index] = null; // a message may refer to it once
    return value;
  }

  @Override
  public ByteBuffer readBuffer() {
    return ByteBuffer.wrap(readBytes());
  }

  /**
   * Reads what {@link #readBytes} reads, without a copy where the bytes are in the message: a view,
   * valid as long as the message's memory.
   */
  public ByteBuffer viewBytes() {
    int length = readVarInt();
    if (isOutside(length)) {
      return ByteBuffer.wrap((byte[]) outside(true).heapBase().orElseThrow());
    }
    return buffer.slice(take(checked(length, 1)), length);
  }

  @Override
  public MemorySegment readSegment() {
    int length = readVarInt();
    return isOutside(length) ? outside(false) : MemorySegment.ofArray(bytes(length));
  }

  @Override
  public int beginRecord() {
    step();
    if (depth == maxDepth) {
      throw new WireException("records nest more than " + maxDepth + " deep" + where());
    }
    int length = checked(readVarInt(), 1);
    if (depth == outerLimits.length) {
      outerLimits = Arrays.copyOf(outerLimits, 2 * depth);
    }
    outerLimits[depth++] = limit;
    limit = position + length;
    return limit;
  }

  @Override
  public boolean atEnd(int recordEnd) {
    return position >= recordEnd;
  }

  @Override
  public void endRecord(int recordEnd) {
    if (depth == 0 || recordEnd != limit) {
      throw new IllegalStateException("records must be ended in the order they nest");
    }
    position = recordEnd;
    limit = outerLimits[--depth];
  }

  @Override
  public boolean atEnd() {
    return position >= end;
  }

  /** Skips so many bytes and returns their start. */
  private int take(int bytes) {
    int at = position;
    if (bytes > limit - at) {
      throw new WireException(
          bytes
              + " bytes are needed and "
              + (limit - at)
              + " are left of the "
              + (depth == 0 ? "message" : "record")
              + where());
    }
    position = at + bytes;
    return at;
  }

  private String where() {
    return ", at byte " + (position - start) + " of " + (end - start);
  }
}
