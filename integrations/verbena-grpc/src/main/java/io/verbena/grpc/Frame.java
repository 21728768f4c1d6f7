package io.verbena.grpc;

import io.grpc.internal.WritableBuffer;

/** The memory into which gRPC writes a part of a stream. */
final class Frame implements WritableBuffer {
  static final byte[] NONE = {};

  /** A longer message is written into several: each fits one frame of a session. */
  private static final int MOST = 7 << 10;

  private static final int LEAST = 64;

  private final byte[] memory;
  private int length;

  private Frame(int capacity) {
    this.memory = new byte[capacity];
  }

  /** Returns a frame for about so many bytes. */
  static Frame allocate(int capacityHint) {
    return new Frame(Math.clamp(capacityHint, LEAST, MOST));
  }

  byte[] memory() {
    return memory;
  }

  @Override
  public void write(byte[] source, int from, int count) {
    System.arraycopy(source, from, memory, length, count);
    length += count;
  }

  @Override
  public void write(byte value) {
    memory[length++] = value;
  }

  @Override
  public int writableBytes() {
    return memory.length - length;
  }

  @Override
  public int readableBytes() {
    return length;
  }

  @Override
  public void release() {}
}
