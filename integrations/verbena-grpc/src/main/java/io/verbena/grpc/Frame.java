package io.verbena.grpc;

import io.grpc.internal.WritableBuffer;
import io.verbena.api.Session;
import io.verbena.api.wire.WireOut;
import io.verbena.core.CarriedCalls;
import java.nio.ByteBuffer;

/** The memory into which gRPC writes a part of a stream. */
final class Frame implements WritableBuffer {
  static final byte[] NONE = {};

  /** A longer message is written into several: each fits one frame of a session. */
  private static final int MOST_IN_MESSAGE = 7 << 10;

  /** Over RDMA long ones travel beside their message, by one-sided writes. */
  private static final int MOST_BESIDE = (1 << 20) + 64;

  private static final int LEAST = 64;

  private final byte[] memory;
  private final int capacity;
  private int length;
  private boolean copied;

  private Frame(byte[] memory, int capacity) {
    this.memory = memory;
    this.capacity = capacity;
  }

  /** Returns a frame for about so many bytes, to be sent through a session. */
  static Frame allocate(int capacityHint, Session session) {
    boolean rdma = session.path().link().equals("rdma");
    int capacity = Math.clamp(capacityHint, LEAST, rdma ? MOST_BESIDE : MOST_IN_MESSAGE);
    return new Frame(capacity == MOST_IN_MESSAGE ? Received.block() : new byte[capacity], capacity);
  }

  /** Copies the bytes into a message. Then {@link #release} gives the memory back. */
  void copyTo(WireOut out) {
    CarriedCalls.copy(ByteBuffer.wrap(memory, 0, length), out);
    copied = true;
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
    return capacity - length;
  }

  @Override
  public int readableBytes() {
    return length;
  }

  /** Does nothing for bytes that were not copied: who has them is not known. */
  @Override
  public void release() {
    if (copied) {
      copied = false;
      Received.free(memory);
    }
  }
}
