package io.verbena.mem;

import io.verbena.link.memory.Slot;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One direction of a link: a bounded ring of cells that frames are copied into, and that bulk
 * writes pass through in their order. One thread produces, one consumes; each method says whose it
 * is.
 *
 * <pre>
 *   taken            published          written        taken + capacity
 *     | to be consumed   | not yet flushed  | free cells       |
 * </pre>
 *
 * <p>A cell's memory is allocated by the first frame in it and grows to the longest one, so that a
 * ring of large frames costs what its traffic needs, and nothing per frame once warm.
 */
final class FrameRing {
  private static final int SMALLEST_CELL = 256;

  private final ByteBuffer[] cells;
  private final int[] lengths;
  private final @Nullable BulkWrite[] writes;
  private final int capacity;

  /** The producer's. */
  private long written;

  private volatile long published;
  private volatile long taken;
  private volatile boolean producerWaits;
  private volatile @Nullable String end;

  FrameRing(int capacity) {
    int size = Integer.highestOneBit(Math.max(1, capacity - 1)) * 2;
    this.capacity = capacity;
    this.cells = new ByteBuffer[size];
    this.lengths = new int[size];
    this.writes = new @Nullable BulkWrite[size];
    Arrays.fill(cells, ByteBuffer.allocate(0));
  }

  /** Producer: copies a frame in; false when the ring is full. */
  boolean offer(Slot slot) {
    if (isFull()) {
      return false;
    }
    int cell = (int) written & (cells.length - 1);
    int length = slot.length();
    if (cells[cell].capacity() < length) {
      int size = Integer.highestOneBit(length - 1) * 2;
      cells[cell] = ByteBuffer.allocate(Math.max(SMALLEST_CELL, size));
    }
    cells[cell].put(0, slot.buffer(), 0, length);
    lengths[cell] = length;
    written++;
    return true;
  }

  /** Producer: puts a bulk write in; false when the ring is full. */
  boolean offer(BulkWrite write) {
    if (isFull()) {
      return false;
    }
    writes[(int) written & (writes.length - 1)] = write;
    written++;
    return true;
  }

  /**
   * Producer: whether no cell is free. When it says so, {@link #hasRoomAgain} will hold at some
   * later time, and the consumer wakes the producer for it.
   */
  private boolean isFull() {
    if (written - taken < capacity) {
      return false;
    }
    producerWaits = true;
    // The consumer may have made room before it could see the flag: look once more.
    return !hasRoomAgain();
  }

  /**
   * Producer: whether it was refused and half of the ring is free since. Half, so that the two ends
   * do not wake each other for every frame. Says so once.
   */
  boolean hasRoomAgain() {
    if (!producerWaits || written - taken > capacity / 2) {
      return false;
    }
    producerWaits = false;
    return true;
  }

  /** Producer: makes what was offered visible; false when there was nothing new. */
  boolean publish() {
    if (published == written) {
      return false;
    }
    published = written;
    return true;
  }

  /** Either end: nothing comes after what is published now. */
  void end(String reason) {
    end = reason;
  }

  /**
   * Consumer: why nothing comes after what is published, or null. Read before {@link #published}.
   */
  @Nullable String end() {
    return end;
  }

  /** Consumer: how many frames have been published over time, those taken included. */
  long published() {
    return published;
  }

  /** Consumer: how many frames have been taken over time. */
  long taken() {
    return taken;
  }

  /** Consumer: the oldest bulk write; null where the oldest cell holds a frame. */
  @Nullable BulkWrite write() {
    return writes[(int) taken & (writes.length - 1)];
  }

  /** Consumer: the memory of the oldest frame. */
  ByteBuffer frame() {
    return cells[(int) taken & (cells.length - 1)];
  }

  /** Consumer: the length of the oldest frame. */
  int frameLength() {
    return lengths[(int) taken & (cells.length - 1)];
  }

  /** Consumer: frees the oldest cell; true when the producer is to be woken. */
  boolean take() {
    writes[(int) taken & (writes.length - 1)] = null;
    long now = taken + 1;
    taken = now;
    return producerWaits && published - now <= capacity / 2;
  }
}
