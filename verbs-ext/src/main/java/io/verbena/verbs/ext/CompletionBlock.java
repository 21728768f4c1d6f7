package io.verbena.verbs.ext;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Preallocated work completions, laid out as {@code ibv_poll_cq} fills them, filled without
 * allocation by {@link VerbsCq#poll(CompletionBlock)}. Confined to one thread at a time.
 *
 * <p>On a completion with an error only {@link #wrId}, {@link #status}, {@link #qpNumber} and
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
   * @param capacity how many completions one poll may take, at least 1
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

  /** How many the last poll took. */
  public int count() {
    return count;
  }

  public long wrId(int index) {
    return memory.get(JAVA_LONG_UNALIGNED, at(index) + Layouts.WR_ID);
  }

  /** A {@link WcStatus}. */
  public int status(int index) {
    return memory.get(JAVA_INT_UNALIGNED, at(index) + Layouts.WC_STATUS);
  }

  /** A {@link WcOpcode}. */
  public int opcode(int index) {
    return memory.get(JAVA_INT_UNALIGNED, at(index) + Layouts.WC_OPCODE);
  }

  public int vendorError(int index) {
    return memory.get(JAVA_INT_UNALIGNED, at(index) + Layouts.WC_VENDOR_ERROR);
  }

  /** Bytes received, read or written by the peer's WRITE with immediate. */
  public int byteLength(int index) {
    return memory.get(JAVA_INT_UNALIGNED, at(index) + Layouts.WC_BYTE_LENGTH);
  }

  /** The immediate, in this machine's order, where {@link WcFlags#WITH_IMM} is set. */
  public int immediate(int index) {
    return memory.get(Layouts.BIG_ENDIAN_INT, at(index) + Layouts.WC_IMMEDIATE);
  }

  /** The window that the peer invalidated, where {@link WcFlags#WITH_INV} is set. */
  public int invalidatedRkey(int index) {
    return memory.get(JAVA_INT_UNALIGNED, at(index) + Layouts.WC_IMMEDIATE);
  }

  /** The queue pair of this side. */
  public int qpNumber(int index) {
    return memory.get(JAVA_INT_UNALIGNED, at(index) + Layouts.WC_QP_NUMBER);
  }

  /** {@link WcFlags}. */
  public int flags(int index) {
    return memory.get(JAVA_INT_UNALIGNED, at(index) + Layouts.WC_FLAGS);
  }

  /** The peer's queue pair, where the device tells: of datagrams. */
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

  /** Where {@code ibv_wc[capacity]} begins, for providers. */
  public long address() {
    return memory.address();
  }

  /** Says how many completions the provider stored; for providers. */
  public int filled(int completions) {
    count = completions;
    return completions;
  }

  private static long at(int index) {
    return (long) index * Layouts.WC_SIZE;
  }
}
