package io.verbena.grpc;

import io.grpc.internal.WritableBuffer;
import io.verbena.api.Session;

/** The memory into which gRPC writes a part of a stream. */
final class Frame implements WritableBuffer {
  static final byte[] NONE = {};

  /** A longer message is written into several: each fits one frame of a session. */
  private static final int MOST_IN_MESSAGE = 7 << 10;

  /** Over RDMA long ones travel beside their message, by one-sided writes. */
  private static final int MOST_BESIDE = (1 << 20) + 64;

  private static final int LEAST = 64;

  private final byte[] memory;
  private int length;

  private Frame(int capacity) {
    this.memory = new byte[capacity];
  }

  /** Returns a frame for about so many bytes, to be sent through a session. */
  static Frame allocate(int capacityHint, Session session) {
    boolean rdma = session.path().link().equals("rdma");
    return new Frame(Math.clamp(capacityHint, LEAST, rdma ? MOST_BESIDE : MOST_IN_MESSAGE));
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
