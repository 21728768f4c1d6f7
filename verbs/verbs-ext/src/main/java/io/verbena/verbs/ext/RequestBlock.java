package io.verbena.verbs.ext;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Work requests followed by their scatter/gather lists, in one piece of off-heap memory. Its fields
 * have the alignment that the device needs. The code uses unaligned layouts, which saves a check at
 * each field.
 */
abstract sealed class RequestBlock permits SendBlock, ReceiveBlock {
  final MemorySegment memory;
  private final int capacity;
  private final int maxSges;
  private final int requestSize;

  RequestBlock(Arena arena, int capacity, int maxSges, int requestSize) {
    if (capacity < 1 || maxSges < 0) {
      throw new IllegalArgumentException(
          "A block of " + capacity + " requests with " + maxSges + " SGEs each; at least 1 and 0");
    }
    this.capacity = capacity;
    this.maxSges = maxSges;
    this.requestSize = requestSize;
    long bytes = (long) capacity * (requestSize + (long) maxSges * Layouts.SGE_SIZE);
    memory = arena.allocate(bytes, 64);
  }

  /** Returns the number of requests. */
  public final int capacity() {
    return capacity;
  }

  /** Returns the largest number of pieces of a request. */
  public final int maxSges() {
    return maxSges;
  }

  public final long wrId(int index) {
    return memory.get(JAVA_LONG_UNALIGNED, at(index) + Layouts.WR_ID);
  }

  public final int sgeCount(int index) {
    return memory.get(JAVA_INT_UNALIGNED, at(index) + Layouts.WR_NUM_SGE);
  }

  public final long sgeAddress(int index, int sge) {
    return memory.get(JAVA_LONG_UNALIGNED, sgeAt(index, sge) + Layouts.SGE_ADDRESS);
  }

  public final int sgeLength(int index, int sge) {
    return memory.get(JAVA_INT_UNALIGNED, sgeAt(index, sge) + Layouts.SGE_LENGTH);
  }

  public final int sgeLkey(int index, int sge) {
    return memory.get(JAVA_INT_UNALIGNED, sgeAt(index, sge) + Layouts.SGE_LKEY);
  }

  /**
   * For providers: returns the address of a request. A failed post reports the faulty request by
   * it.
   */
  public final long address(int index) {
    return memory.address() + at(index);
  }

  /**
   * For providers: links requests {@code first} to {@code first + count - 1} into the list for a
   * post.
   *
   * @return the address of the first request
   */
  public final long chain(int first, int count) {
    if (count < 1 || first < 0 || first > capacity - count) {
      throw new IllegalArgumentException(
          "Requests " + first + " and the " + count + " from it are not in a block of " + capacity);
    }
    int last = first + count - 1;
    for (int i = first; i < last; i++) {
      memory.set(JAVA_LONG_UNALIGNED, at(i) + Layouts.WR_NEXT, address(i + 1));
    }
    memory.set(JAVA_LONG_UNALIGNED, at(last) + Layouts.WR_NEXT, 0);
    return address(first);
  }

  /** Returns the memory of a request, in the layout of {@link Layouts}, for DiSNI's views of it. */
  public final MemorySegment memory(int index) {
    return memory.asSlice(at(index), requestSize);
  }

  final long at(int index) {
    return (long) Objects.checkIndex(index, capacity) * requestSize;
  }

  /**
   * Begins a request with a number of pieces; returns its offset. A request without pieces has no
   * list: libirdma's WRITE reads the first piece of a list, however many pieces there are
   * (rdma-core 691953d8d, providers/irdma/uk.c).
   */
  final long begin(int index, long wrId, int sges) {
    long at = at(index);
    memory.set(JAVA_LONG_UNALIGNED, at + Layouts.WR_ID, wrId);
    putList(index, at, sges);
    memory.set(JAVA_INT_UNALIGNED, at + Layouts.WR_NUM_SGE, sges);
    return at;
  }

  final void addSge(int index, long address, int length, int lkey) {
    int count = sgeCount(index);
    if (count == maxSges) {
      throw new IllegalArgumentException("Request " + index + " already has " + maxSges + " SGEs");
    }
    putSge(index, count, address, length, lkey);
    putList(index, at(index), count + 1);
    memory.set(JAVA_INT_UNALIGNED, at(index) + Layouts.WR_NUM_SGE, count + 1);
  }

  private void putList(int index, long at, int sges) {
    long list = sges == 0 ? 0 : memory.address() + sgeAt(index, 0);
    memory.set(JAVA_LONG_UNALIGNED, at + Layouts.WR_SG_LIST, list);
  }

  /** Replaces a piece of a request. */
  public final void putSge(int index, int sge, long address, int length, int lkey) {
    long at = sgeAt(index, sge);
    memory.set(JAVA_LONG_UNALIGNED, at + Layouts.SGE_ADDRESS, address);
    memory.set(JAVA_INT_UNALIGNED, at + Layouts.SGE_LENGTH, length);
    memory.set(JAVA_INT_UNALIGNED, at + Layouts.SGE_LKEY, lkey);
  }

  final long sgeAt(int index, int sge) {
    return (long) capacity * requestSize + ((long) index * maxSges + sge) * Layouts.SGE_SIZE;
  }
}
