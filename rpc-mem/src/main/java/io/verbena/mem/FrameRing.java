package io.verbena.mem;

import io.verbena.link.memory.Slot;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One direction of a link: a bounded ring of cells for frames, which are copied into them, and for
 * bulk writes, in order. One thread produces, and another consumes; each method says which.
 *
 * <pre>
 *   taken            published          written        taken + capacity
 *     | to be consumed   | not yet flushed  | free cells       |
 * </pre>
 *
 * <p>The memory of a cell is allocated for its first frame, and grows to the longest one. So a ring
 * for large frames takes only the memory that its traffic needs. A warm ring allocates nothing.
 */
final class FrameRing {
  private static final int SMALLEST_CELL = 256;

  private final ByteBuffer[] cells;
  private final int[] lengths;
  private final @Nullable BulkWrite[] writes;
  private final int capacity;

  /** The producer's position. */
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
   * Producer: returns whether no cell is free. After true, {@link #hasRoomAgain} will be true at a
   * later time, and the consumer wakes the producer for it.
   */
  private boolean isFull() {
    if (written - taken < capacity) {
      return false;
    }
    producerWaits = true;
    // The consumer may have made room before it could see the flag, so look once more.
    return !hasRoomAgain();
  }

  /**
   * Producer: returns whether it was refused and half of the ring is free since; true once. Half of
   * the ring is enough to keep the two ends from waking each other for every frame.
   */
  boolean hasRoomAgain() {
    if (!producerWaits || written - taken > capacity / 2) {
      return false;
    }
    producerWaits = false;
    return true;
  }

  /** Producer: publishes the cells that were filled; false if there are none. */
  boolean publish() {
    if (published == written) {
      return false;
    }
    published = written;
    return true;
  }

  /** Either end: ends the ring after the cells that are published now. */
  void end(String reason) {
    end = reason;
  }

  /**
   * Consumer: returns the reason that nothing follows the published cells, or null. Read it before
   * {@link #published}.
   */
  @Nullable String end() {
    return end;
  }

  /** Consumer: returns the number of all cells published so far, with those that were taken. */
  long published() {
    return published;
  }

  /** Consumer: returns the number of all cells taken so far. */
  long taken() {
    return taken;
  }

  /** Consumer: returns the oldest bulk write; null if the oldest cell holds a frame. */
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

  /** Consumer: frees the oldest cell; true if the producer must be woken. */
  boolean take() {
    writes[(int) taken & (writes.length - 1)] = null;
    long now = taken + 1;
    taken = now;
    return producerWaits && published - now <= capacity / 2;
  }
}
