package io.verbena.verbs.ext;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import com.ibm.disni.verbs.IbvMr;
import java.lang.foreign.Arena;

/**
 * Preallocated send requests, in the layout that {@code ibv_post_send} reads. {@link
 * VerbsQp#postSend(SendBlock, int, int)} posts them without allocation.
 *
 * <pre>
 * block.request(0, wrId, SendOpcode.RDMA_WRITE_WITH_IMM, SendFlags.SIGNALED)
 *     .sge(0, address, length, lkey)
 *     .remote(0, remoteAddress, rkey)
 *     .immediate(0, immediate);
 * int posted = qp.postSend(block, 0, 1);
 * </pre>
 *
 * <p>For one thread at a time. A block may be changed and posted again as soon as the post has
 * returned. The memory that it points to belongs to the device until the completion, unless the
 * request is inline.
 */
public final class SendBlock extends RequestBlock {
  /**
   * Allocates a block.
   *
   * @param arena owns the block's memory; keep it open while the block is used
   * @param capacity the number of requests, at least 1
   * @param maxSges the largest number of pieces of a request
   */
  public SendBlock(Arena arena, int capacity, int maxSges) {
    super(arena, capacity, maxSges, Layouts.SEND_WR_SIZE);
  }

  /**
   * Resets request {@code index}, without pieces.
   *
   * @param opcode a {@link SendOpcode}
   * @param flags {@link SendFlags}
   */
  public SendBlock request(int index, long wrId, int opcode, int flags) {
    long at = begin(index, wrId, 0);
    memory.set(JAVA_INT_UNALIGNED, at + Layouts.SEND_WR_OPCODE, opcode);
    memory.set(JAVA_INT_UNALIGNED, at + Layouts.SEND_WR_FLAGS, flags);
    return this;
  }

  /**
   * Reuses an inline request with one piece, with another id and another piece.
   *
   * @param flags {@link SendFlags}, with {@link SendFlags#INLINE}
   */
  public SendBlock again(int index, long wrId, int flags, long address, int length) {
    long at = at(index);
    memory.set(JAVA_LONG_UNALIGNED, at + Layouts.WR_ID, wrId);
    memory.set(JAVA_INT_UNALIGNED, at + Layouts.SEND_WR_FLAGS, flags);
    long piece = sgeAt(index, 0);
    memory.set(JAVA_LONG_UNALIGNED, piece + Layouts.SGE_ADDRESS, address);
    memory.set(JAVA_INT_UNALIGNED, piece + Layouts.SGE_LENGTH, length);
    return this;
  }

  public SendBlock opcode(int index, int opcode) {
    memory.set(JAVA_INT_UNALIGNED, at(index) + Layouts.SEND_WR_OPCODE, opcode);
    return this;
  }

  public SendBlock flags(int index, int flags) {
    memory.set(JAVA_INT_UNALIGNED, at(index) + Layouts.SEND_WR_FLAGS, flags);
    return this;
  }

  /** Adds a piece to request {@code index}. The lkey of an inline request is ignored. */
  public SendBlock sge(int index, long address, int length, int lkey) {
    addSge(index, address, length, lkey);
    return this;
  }

  /** Sets the immediate of a request that has one, in this machine's byte order. */
  public SendBlock immediate(int index, int immediate) {
    memory.set(Layouts.BIG_ENDIAN_INT, at(index) + Layouts.SEND_WR_IMMEDIATE, immediate);
    return this;
  }

  /**
   * Sets the rkey that LOCAL_INV or SEND_WITH_INV invalidates. It shares its field with the
   * immediate.
   */
  public SendBlock invalidate(int index, int rkey) {
    memory.set(JAVA_INT_UNALIGNED, at(index) + Layouts.SEND_WR_IMMEDIATE, rkey);
    return this;
  }

  /** Sets the remote memory of a WRITE or READ. */
  public SendBlock remote(int index, long address, int rkey) {
    memory.set(JAVA_LONG_UNALIGNED, at(index) + Layouts.SEND_WR_REMOTE_ADDRESS, address);
    memory.set(JAVA_INT_UNALIGNED, at(index) + Layouts.SEND_WR_RDMA_RKEY, rkey);
    return this;
  }

  /**
   * Sets the operands of an atomic on 8 aligned remote bytes. The old value is written to its
   * single piece, of 8 bytes.
   *
   * @param compareAdd the value to compare with, or to add
   * @param swap the value to store if they are equal
   */
  public SendBlock atomic(int index, long address, int rkey, long compareAdd, long swap) {
    memory.set(JAVA_LONG_UNALIGNED, at(index) + Layouts.SEND_WR_REMOTE_ADDRESS, address);
    memory.set(JAVA_LONG_UNALIGNED, at(index) + Layouts.SEND_WR_COMPARE_ADD, compareAdd);
    memory.set(JAVA_LONG_UNALIGNED, at(index) + Layouts.SEND_WR_SWAP, swap);
    memory.set(JAVA_INT_UNALIGNED, at(index) + Layouts.SEND_WR_ATOMIC_RKEY, rkey);
    return this;
  }

  /**
   * Sets the binding of a {@link SendOpcode#BIND_MW} request. The window's new key is {@code
   * window.rkey()}, so call {@link MemoryWindow#nextRkey()} first.
   *
   * @param mr registered with {@link Access#MW_BIND}; covers the range
   * @param access REMOTE_ flags of {@link Access}
   */
  public SendBlock bind(
      int index, MemoryWindow window, IbvMr mr, long address, long length, int access) {
    long at = at(index);
    memory.set(JAVA_LONG_UNALIGNED, at + Layouts.SEND_WR_BIND_MW, window.handle());
    memory.set(JAVA_INT_UNALIGNED, at + Layouts.SEND_WR_BIND_RKEY, window.rkey());
    memory.set(JAVA_LONG_UNALIGNED, at + Layouts.SEND_WR_BIND_MR, VerbsMr.of(mr).handle());
    memory.set(JAVA_LONG_UNALIGNED, at + Layouts.SEND_WR_BIND_ADDRESS, address);
    memory.set(JAVA_LONG_UNALIGNED, at + Layouts.SEND_WR_BIND_LENGTH, length);
    memory.set(JAVA_INT_UNALIGNED, at + Layouts.SEND_WR_BIND_ACCESS, access);
    memory.set(
        JAVA_INT_UNALIGNED, at + Layouts.SEND_WR_IMMEDIATE, 0); // librxe accepts nothing else
    return this;
  }
}
