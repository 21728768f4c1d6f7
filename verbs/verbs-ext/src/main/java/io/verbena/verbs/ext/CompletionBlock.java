package io.verbena.verbs.ext;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Preallocated work completions, in the layout that {@code ibv_poll_cq} fills. {@link
 * VerbsCq#poll(CompletionBlock)} fills them without allocation. For one thread at a time.
 *
 * <p>In a completion with an error only {@link #wrId}, {@link #status}, {@link #qpNumber} and
 * {@link #vendorError} are valid.
 */
public final class CompletionBlock {
  private final MemorySegment memory;
  private final int capacity;
  private int count;

  /**
   * Allocates a block.
   *
   * @param arena owns the block's memory; keep it open while the block is used
   * @param capacity the largest number of completions of one poll, at least 1
   */
  public CompletionBlock(Arena arena, int capacity) {
    if (capacity < 1) {
      throw new IllegalArgumentException("A block of " + capacity + " completions; at least 1");
    }
    this.capacity = capacity;
    memory = arena.allocate((long) capacity * Layouts.WC_SIZE, 64);
  }

  public int capacity() {
    return capacity;
  }

  /** Returns the number of completions of the last poll. */
  public int count() {
    return count;
  }

  public long wrId(int index) {
    return memory.get(JAVA_LONG_UNALIGNED, at(index) + Layouts.WR_ID);
  }

  /** Returns a {@link WcStatus}. */
  public int status(int index) {
    return memory.get(JAVA_INT_UNALIGNED, at(index) + Layouts.WC_STATUS);
  }

  /** Returns a {@link WcOpcode}. */
  public int opcode(int index) {
    return memory.get(JAVA_INT_UNALIGNED, at(index) + Layouts.WC_OPCODE);
  }

  public int vendorError(int index) {
    return memory.get(JAVA_INT_UNALIGNED, at(index) + Layouts.WC_VENDOR_ERROR);
  }

  /**
   * Returns the number of bytes that were received, read, or written by the peer's WRITE with
   * immediate.
   */
  public int byteLength(int index) {
    return memory.get(JAVA_INT_UNALIGNED, at(index) + Layouts.WC_BYTE_LENGTH);
  }

  /** Returns the immediate, in this machine's byte order, if {@link WcFlags#WITH_IMM} is set. */
  public int immediate(int index) {
    return memory.get(Layouts.BIG_ENDIAN_INT, at(index) + Layouts.WC_IMMEDIATE);
  }

  /** Returns the window that the peer invalidated, if {@link WcFlags#WITH_INV} is set. */
  public int invalidatedRkey(int index) {
    return memory.get(JAVA_INT_UNALIGNED, at(index) + Layouts.WC_IMMEDIATE);
  }

  /** Returns the number of this side's queue pair. */
  public int qpNumber(int index) {
    return memory.get(JAVA_INT_UNALIGNED, at(index) + Layouts.WC_QP_NUMBER);
  }

  /** Returns the {@link WcFlags}. */
  public int flags(int index) {
    return memory.get(JAVA_INT_UNALIGNED, at(index) + Layouts.WC_FLAGS);
  }

  /** Returns the number of the peer's queue pair if the device reports it, as for datagrams. */
  public int sourceQp(int index) {
    return memory.get(JAVA_INT_UNALIGNED, at(index) + Layouts.WC_SOURCE_QP);
  }

  public short pkeyIndex(int index) {
    return memory.get(JAVA_SHORT_UNALIGNED, at(index) + Layouts.WC_PKEY_INDEX);
  }

  public short sourceLid(int index) {
    return memory.get(JAVA_SHORT_UNALIGNED, at(index) + Layouts.WC_SOURCE_LID);
  }

  public byte serviceLevel(int index) {
    return memory.get(JAVA_BYTE, at(index) + Layouts.WC_SERVICE_LEVEL);
  }

  public byte destinationPathBits(int index) {
    return memory.get(JAVA_BYTE, at(index) + Layouts.WC_DESTINATION_PATH_BITS);
  }

  /** For providers: returns the address of {@code ibv_wc[capacity]}. */
  public long address() {
    return memory.address();
  }

  /** For providers: sets the number of stored completions. */
  public int filled(int completions) {
    count = completions;
    return completions;
  }

  private static long at(int index) {
    return (long) index * Layouts.WC_SIZE;
  }
}
