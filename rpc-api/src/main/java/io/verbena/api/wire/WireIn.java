package io.verbena.api.wire;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow;
import java.util.function.Function;

/**
 * Reads one message. For use by one thread, until the method it was passed to returns.
 *
 * <p>Every method throws {@link WireException} if the message ends too early or a length is false.
 * A length is checked against the rest of the message before memory is allocated for it.
 */
public interface WireIn {
  /** Reads one byte. Any value except 0 and 1 is an error. */
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

  /** Reads a number that {@link WireOut#writeVarInt} wrote. */
  int readVarInt();

  /** Reads a number that {@link WireOut#writeVarLong} wrote. */
  long readVarLong();

  /**
   * Reads the number of elements that follow.
   *
   * @param elementBytes the least number of bytes that one element takes, at least 1
   * @throws WireException if the rest of the message is too short for so many elements
   */
  int readCount(int elementBytes);

  /** Reads a string. */
  String readString();

  /** Reads bytes into a new array. */
  byte[] readBytes();

  /** Reads bytes into a new buffer, from position 0. It belongs to the caller. */
  ByteBuffer readBuffer();

  /** Reads bytes into a new segment, which belongs to the caller. */
  MemorySegment readSegment();

  /**
   * Starts a record.
   *
   * @return the end of the record, for {@link #atEnd} and {@link #endRecord}
   * @throws WireException if records nest too deeply
   */
  int beginRecord();

  /** Returns whether the record with this end has been read completely. */
  boolean atEnd(int end);

  /** Ends a record. Skips members that a newer peer added. */
  void endRecord(int end);

  /**
   * Reads a stream that {@link WireOut#writeStream} wrote.
   *
   * @param item reads one item, on the event loop
   * @return a publisher for one subscriber, whose items arrive over the session
   */
  <T> Flow.Publisher<T> readStream(Function<WireIn, T> item);

  /**
   * Returns whether the whole message has been read. Further parameters then have their defaults.
   */
  boolean atEnd();
}
