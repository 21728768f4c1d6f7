package io.verbena.api.wire;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow;
import java.util.function.BiConsumer;

/**
 * Writes one message. Fixed-width numbers are big-endian; {@code var} numbers take 7 bits a byte,
 * least significant first. For use by one thread, until the message is handed over.
 *
 * <p>Every method throws {@link WireException} when the message would exceed the session's limit.
 */
public interface WireOut {
  /** Writes one byte, 0 or 1. */
  void writeBoolean(boolean value);

  /** Writes one byte. */
  void writeByte(int value);

  /** Writes two bytes. */
  void writeShort(int value);

  /** Writes two bytes. */
  void writeChar(char value);

  /** Writes four bytes. */
  void writeInt(int value);

  /** Writes eight bytes. */
  void writeLong(long value);

  /** Writes four bytes. */
  void writeFloat(float value);

  /** Writes eight bytes. */
  void writeDouble(double value);

  /** Writes 1 to 5 bytes; short for small non-negative values. */
  void writeVarInt(int value);

  /** Writes 1 to 10 bytes; short for small non-negative values. */
  void writeVarLong(long value);

  /** Writes the number of elements that follow, not negative. */
  void writeCount(int count);

  /** Writes the number of UTF-8 bytes, then those bytes. */
  void writeString(String value);

  /** Writes a length, then the bytes. */
  void writeBytes(byte[] value);

  /** Writes a length, then the bytes from position to limit; the buffer is left as it was. */
  void writeBuffer(ByteBuffer value);

  /** Writes a length, then the segment's bytes. */
  void writeSegment(MemorySegment value);

  /**
   * Starts a record: what is written until {@link #endRecord} can be skipped as a whole by an older
   * peer. Records nest, to the session's depth limit.
   *
   * @return a mark for {@link #endRecord}
   * @throws WireException if records nest too deeply
   */
  int beginRecord();

  /**
   * Writes where the peer finds the items of a stream, which is an argument or a result: no stream
   * is part of a value.
   *
   * @param item writes one item, on a handler's thread, each time the peer has asked for it
   * @throws WireException if this message takes no stream
   */
  <T> void writeStream(Flow.Publisher<T> items, BiConsumer<WireOut, T> item);

  /** Ends the record that was started with this mark. */
  void endRecord(int mark);
}
