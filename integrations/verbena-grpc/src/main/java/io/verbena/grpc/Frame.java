package io.verbena.grpc;

import io.grpc.internal.WritableBuffer;
import java.nio.ByteBuffer;

/** The memory into which gRPC writes a part of a stream. */
final class Frame implements WritableBuffer {
  static final byte[] NONE = {};

  /** A longer message is written into several: each fits one frame of a session. */
  static final int MOST_IN_MESSAGE = 7 << 10;

  /** A message of so many bytes travels beside those of the session. */
  static final int LEAST_BESIDE = 64 << 10;

  private static final int LEAST = 64;

  private final ByteBuffer memory;
  private final int capacity;
  private final Runnable whenSent;
  private int length;

  private Frame(ByteBuffer memory, int capacity, int length, Runnable whenSent) {
    this.memory = memory;
    this.capacity = capacity;
    this.length = length;
    this.whenSent = whenSent;
  }

  /** Returns a frame of bytes that are there, until an action. */
  static Frame of(ByteBuffer bytes, Runnable whenSent) {
    return new Frame(bytes, bytes.remaining(), bytes.remaining(), whenSent);
  }

  /**
   * Returns a frame for about so many bytes. If gRPC does not know the length of a message, it asks
   * for twice the last frame.
   */
  static Frame allocate(int capacityHint) {
    boolean grows = capacityHint == 2 * MOST_IN_MESSAGE;
    boolean beside = grows || capacityHint >= LEAST_BESIDE;
    int capacity =
        grows
            ? Received.MOST_BYTES
            : Math.clamp(capacityHint, LEAST, beside ? Received.MOST_BYTES : MOST_IN_MESSAGE);
    boolean pooled = beside || capacity == MOST_IN_MESSAGE;
    ByteBuffer memory = pooled ? Received.block(capacity) : ByteBuffer.allocate(capacity);
    return new Frame(memory, capacity, 0, () -> Received.free(memory));
  }

  /** Returns whether it is sent beside messages. */
  boolean isLong() {
    return length > MOST_IN_MESSAGE;
  }

  ByteBuffer bytes() {
    return memory.slice(0, length);
  }

  /** Gives the memory back when the bytes were sent. */
  void free() {
    whenSent.run();
  }

  @Override
  public void write(byte[] source, int from, int count) {
    memory.put(length, source, from, count);
    length += count;
  }

  @Override
  public void write(byte value) {
    memory.put(length++, value);
  }

  @Override
  public int writableBytes() {
    return capacity - length;
  }

  @Override
  public int readableBytes() {
    return length;
  }

  /** Does nothing: who has the bytes is not known. */
  @Override
  public void release() {}
}
