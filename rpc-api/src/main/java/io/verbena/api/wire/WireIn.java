package io.verbena.api.wire;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow;
import java.util.function.Function;

/**
 * Reads one message. For use by one thread, until the method it was passed to returns.
 *
 * <p>Every method throws {@link WireException} when the message ends too early or a length is a
 * lie; nothing is allocated for a length before it was checked against what is left.
 */
public interface WireIn {
  /** Reads one byte; anything but 0 and 1 is an error. */
  boolean readBoolean();

  /** Reads one byte. */
  byte readByte();

  /** Reads two bytes. */
  short readShort();

  /** Reads two bytes. */
  char readChar();

  /** Reads four bytes. */
  int readInt();

  /** Reads eight bytes. */
  long readLong();

  /** Reads four bytes. */
  float readFloat();

  /** Reads eight bytes. */
  double readDouble();

  /** Reads what {@link WireOut#writeVarInt} wrote. */
  int readVarInt();

  /** Reads what {@link WireOut#writeVarLong} wrote. */
  long readVarLong();

  /**
   * Reads the number of elements that follow.
   *
   * @param elementBytes the least number of bytes that one element takes, at least 1
   * @throws WireException if so many elements cannot be in what is left
   */
  int readCount(int elementBytes);

  /** Reads a string. */
  String readString();

  /** Reads bytes into a new array. */
  byte[] readBytes();

  /** Reads bytes into a new buffer of their own, from position 0. */
  ByteBuffer readBuffer();

  /** Reads bytes into a new segment of their own. */
  MemorySegment readSegment();

  /**
   * Starts a record.
   *
   * @return where it ends, for {@link #atEnd} and {@link #endRecord}
   * @throws WireException if records nest too deeply
   */
  int beginRecord();

  /** Returns whether the record that ends there has been read to its end. */
  boolean atEnd(int end);

  /** Ends a record: skips members that a newer peer added. */
  void endRecord(int end);

  /**
   * Reads what {@link WireOut#writeStream} wrote.
   *
   * @param item reads one item, on the event loop
   * @return takes one subscriber; its items come over the session
   */
  <T> Flow.Publisher<T> readStream(Function<WireIn, T> item);

  /** Returns whether the whole message has been read; later parameters then take their defaults. */
  boolean atEnd();
}
