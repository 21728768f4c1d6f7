package io.verbena.api.wire;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow;
import java.util.function.BiConsumer;

/**
 * Writes one message. Fixed-width numbers are big-endian; {@code var} numbers take 7 bits a byte,
 * least significant first. For use by one thread, until the message is handed over.
 *
 * <p>Every method throws {@link WireException} if the message would exceed the session's limit.
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

  /**
   * Writes a length, then the bytes from position to limit. The buffer's position and limit do not
   * change.
   */
  void writeBuffer(ByteBuffer value);

  /** Writes a length, then the segment's bytes. */
  void writeSegment(MemorySegment value);

  /**
   * Starts a record. A peer can skip the rest of a record, up to {@link #endRecord}. Records nest,
   * up to the session's depth limit.
   *
   * @return a mark for {@link #endRecord}
   * @throws WireException if records nest too deeply
   */
  int beginRecord();

  /**
   * Writes a reference to a stream. A stream is an argument or a result, never part of a value.
   *
   * @param item writes one item. It is called on a handler thread for each item that the peer has
   *     requested
   * @throws WireException if this message may not contain a stream
   */
  <T> void writeStream(Flow.Publisher<T> items, BiConsumer<WireOut, T> item);

  /** Ends the record that was started with this mark. */
  void endRecord(int mark);
}
