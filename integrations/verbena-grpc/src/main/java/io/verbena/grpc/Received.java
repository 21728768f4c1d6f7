package io.verbena.grpc;

import io.grpc.internal.AbstractReadableBuffer;
import io.grpc.internal.ReadableBuffer;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Bytes of a stream that have arrived. Their memory is used again when gRPC has closed them and all
 * views of them. Those that nobody closes are left to the collector.
 */
final class Received extends AbstractReadableBuffer {
  /** The shortest block, enough for a {@link Frame} within a message. Others are twice as long. */
  private static final int LEAST_BYTES = 8 << 10;

  /** The longest block: 1 MiB, and gRPC's prefix. */
  static final int MOST_BYTES = (1 << 20) + 64;

  /** Fewer bytes have memory of their own, so that small messages take no more than they need. */
  private static final int LEAST_IN_BLOCK = LEAST_BYTES / 2;

  private static final int PAGE = 4096;

  /** The free blocks that a process keeps. */
  private static final int MOST_FREE_BYTES = 32 << 20;

  /** The free blocks of this process, by length. The last one is used first: caches have it. */
  private static final List<ConcurrentLinkedDeque<ByteBuffer>> FREE =
      IntStream.range(0, 8).mapToObj(i -> new ConcurrentLinkedDeque<ByteBuffer>()).toList();

  private static final AtomicInteger FREE_BYTES = new AtomicInteger();

  /** Its position and limit are those of what is left to read. */
  private final ByteBuffer bytes;

  private final ByteBuffer memory;
  private final AtomicInteger views;
  private boolean closed;

  private Received(ByteBuffer bytes, ByteBuffer memory, AtomicInteger views) {
    this.bytes = bytes;
    this.memory = memory;
    this.views = views;
  }

  /** Copies what remains of a buffer. */
  static Received copyOf(ByteBuffer bytes) {
    int length = bytes.remaining();
    ByteBuffer memory = length < LEAST_IN_BLOCK ? ByteBuffer.allocate(length) : block(length);
    memory.put(0, bytes, bytes.position(), length);
    return in(memory, length);
  }

  /** Returns the first bytes of memory, which belongs to them. */
  static Received in(ByteBuffer memory, int length) {
    return new Received(memory.slice(0, length), memory, new AtomicInteger(1));
  }

  /**
   * Returns memory outside the heap for {@link #free} to take back.
   *
   * @param bytes at least so many, at most {@link #MOST_BYTES}
   */
  static ByteBuffer block(int bytes) {
    int order = 0;
    while (bytes > lengthOf(order)) {
      order++;
    }
    ByteBuffer free = FREE.get(order).poll();
    if (free != null) {
      FREE_BYTES.addAndGet(-free.capacity());
    }
    return free == null ? Arena.ofAuto().allocate(lengthOf(order), PAGE).asByteBuffer() : free;
  }

  private static int lengthOf(int order) {
    return (LEAST_BYTES << order) + MOST_BYTES % LEAST_BYTES;
  }

  static void free(ByteBuffer memory) {
    if (memory.isDirect()) {
      int order = Integer.numberOfTrailingZeros(memory.capacity() / LEAST_BYTES);
      if (FREE_BYTES.addAndGet(memory.capacity()) <= MOST_FREE_BYTES) {
        FREE.get(order).push(memory);
      } else {
        FREE_BYTES.addAndGet(-memory.capacity());
      }
    }
  }

  @Override
  public int readableBytes() {
    return bytes.remaining();
  }

  @Override
  public int readUnsignedByte() {
    checkReadable(1);
    return bytes.get() & 0xff;
  }

  @Override
  public void skipBytes(int length) {
    checkReadable(length);
    bytes.position(bytes.position() + length);
  }

  @Override
  public void readBytes(byte[] target, int from, int length) {
    checkReadable(length);
    bytes.get(target, from, length);
  }

  @Override
  public void readBytes(OutputStream target, int length) throws IOException {
    byte[] copy = new byte[length];
    readBytes(copy, 0, length);
    target.write(copy);
  }

  @Override
  public ReadableBuffer readBytes(int length) {
    checkReadable(length);
    ByteBuffer part = bytes.slice(bytes.position(), length);
    bytes.position(bytes.position() + length);
    views.incrementAndGet();
    return new Received(part, memory, views);
  }

  @Override
  public boolean markSupported() {
    return true;
  }

  @Override
  public void mark() {
    bytes.mark();
  }

  @Override
  public void reset() {
    bytes.reset();
  }

  @Override
  public boolean byteBufferSupported() {
    return true;
  }

  @Override
  public ByteBuffer getByteBuffer() {
    return bytes.slice();
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
