package io.verbena.grpc;

import io.grpc.internal.AbstractReadableBuffer;
import io.grpc.internal.ReadableBuffer;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Bytes of a stream that have arrived. Their memory is used again when gRPC has closed them and all
 * views of them. Those that nobody closes are left to the collector.
 */
final class Received extends AbstractReadableBuffer {
  /** Enough for a {@link Frame}. */
  private static final int BLOCK_BYTES = 8 << 10;

  /** Fewer bytes have memory of their own, so that small messages take no more than they need. */
  private static final int LEAST_IN_BLOCK = BLOCK_BYTES / 2;

  /** The free blocks of this process: the windows of eight streams. */
  private static final ArrayBlockingQueue<byte[]> FREE = new ArrayBlockingQueue<>(1024);

  private final byte[] memory;
  private final AtomicInteger views;
  private final int end;
  private int at;
  private int mark;
  private boolean closed;

  private Received(byte[] memory, AtomicInteger views, int from, int end) {
    this.memory = memory;
    this.views = views;
    this.at = from;
    this.mark = from;
    this.end = end;
  }

  /** Copies what remains of a buffer. */
  static Received copyOf(ByteBuffer bytes) {
    int length = bytes.remaining();
    boolean pooled = length >= LEAST_IN_BLOCK && length <= BLOCK_BYTES;
    byte[] memory = pooled ? block() : new byte[length];
    bytes.get(memory, 0, length);
    return new Received(memory, new AtomicInteger(1), 0, length);
  }

  /** Returns memory for {@link #free} to take back. */
  static byte[] block() {
    byte[] free = FREE.poll();
    return free == null ? new byte[BLOCK_BYTES] : free;
  }

  static void free(byte[] memory) {
    if (memory.length == BLOCK_BYTES) {
      boolean _ = FREE.offer(memory);
    }
  }

  private int pass(int bytes) {
    checkReadable(bytes);
    int from = at;
    at += bytes;
    return from;
  }

  @Override
  public int readableBytes() {
    return end - at;
  }

  @Override
  public int readUnsignedByte() {
    return memory[pass(1)] & 0xFF;
  }

  @Override
  public void skipBytes(int length) {
    int _ = pass(length);
  }

  @Override
  public void readBytes(byte[] target, int offset, int length) {
    System.arraycopy(memory, pass(length), target, offset, length);
  }

  @Override
  public void readBytes(OutputStream target, int length) throws IOException {
    target.write(memory, pass(length), length);
  }

  @Override
  public ReadableBuffer readBytes(int length) {
    int from = pass(length);
    views.incrementAndGet();
    return new Received(memory, views, from, from + length);
  }

  @Override
  public boolean hasArray() {
    return true;
  }

  @Override
  public byte[] array() {
    return memory;
  }

  @Override
  public int arrayOffset() {
    return at;
  }

  @Override
  public boolean markSupported() {
    return true;
  }

  @Override
  public void mark() {
    mark = at;
  }

  @Override
  public void reset() {
    at = mark;
  }

  @Override
  public boolean byteBufferSupported() {
    return true;
  }

  @Override
  public ByteBuffer getByteBuffer() {
    return ByteBuffer.wrap(memory, at, end - at).slice();
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      if (views.decrementAndGet() == 0) {
        free(memory);
      }
    }
  }
}
