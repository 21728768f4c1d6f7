package io.verbena.verbs.ext;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import com.ibm.disni.verbs.IbvMr;
import java.lang.foreign.Arena;

/**
 * Preallocated send requests, laid out as {@code ibv_post_send} takes them, posted without
 * allocation by {@link VerbsQp#postSend(SendBlock, int, int)}.
 *
 * <pre>
 * block.request(0, wrId, SendOpcode.RDMA_WRITE_WITH_IMM, SendFlags.SIGNALED)
 *     .sge(0, address, length, lkey)
 *     .remote(0, remoteAddress, rkey)
 *     .immediate(0, immediate);
 * int posted = qp.postSend(block, 0, 1);
 * </pre>
 *
 * <p>Confined to one thread at a time. A block may be changed and posted again as soon as the post
 * returned; the memory it points to belongs to the device until the completion (unless inline).
 */
public final class SendBlock extends RequestBlock {
  /**
   * Allocates a block.
   *
   * @param arena owns the block's memory; keep it open while the block is used
   * @param capacity how many requests, at least 1
   * @param maxSges pieces per request
   */
  public SendBlock(Arena arena, int capacity, int maxSges) {
    super(arena, capacity, maxSges, Layouts.SEND_WR_SIZE);
  }

  /**
   * Begins request {@code index} afresh, without pieces.
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
   * Has an inline request with one piece go once more, under another name and with another piece.
   *
   * @param flags {@link SendFlags}, inline among them
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

  /** Adds a piece to it; for an inline request the lkey is ignored. */
  public SendBlock sge(int index, long address, int length, int lkey) {
    addSge(index, address, length, lkey);
    return this;
  }

  /** The immediate of a request with one, in this machine's order. */
  public SendBlock immediate(int index, int immediate) {
    memory.set(Layouts.BIG_ENDIAN_INT, at(index) + Layouts.SEND_WR_IMMEDIATE, immediate);
    return this;
  }

  /** What LOCAL_INV or SEND_WITH_INV invalidates; stands where the immediate would. */
  public SendBlock invalidate(int index, int rkey) {
    memory.set(JAVA_INT_UNALIGNED, at(index) + Layouts.SEND_WR_IMMEDIATE, rkey);
    return this;
  }

  /** Where a WRITE or READ goes to or comes from. */
  public SendBlock remote(int index, long address, int rkey) {
    memory.set(JAVA_LONG_UNALIGNED, at(index) + Layouts.SEND_WR_REMOTE_ADDRESS, address);
    memory.set(JAVA_INT_UNALIGNED, at(index) + Layouts.SEND_WR_RDMA_RKEY, rkey);
    return this;
  }

  /**
   * What an atomic does to 8 aligned bytes; the old value comes to its single 8-byte piece.
   *
   * @param compareAdd what to compare with, or what to add
   * @param swap what to store when equal
   */
  public SendBlock atomic(int index, long address, int rkey, long compareAdd, long swap) {
    memory.set(JAVA_LONG_UNALIGNED, at(index) + Layouts.SEND_WR_REMOTE_ADDRESS, address);
    memory.set(JAVA_LONG_UNALIGNED, at(index) + Layouts.SEND_WR_COMPARE_ADD, compareAdd);
    memory.set(JAVA_LONG_UNALIGNED, at(index) + Layouts.SEND_WR_SWAP, swap);
    memory.set(JAVA_INT_UNALIGNED, at(index) + Layouts.SEND_WR_ATOMIC_RKEY, rkey);
    return this;
  }

  /**
   * What a {@link SendOpcode#BIND_MW} binds; the window's new key is {@code window.rkey()}, so call
   * {@link MemoryWindow#nextRkey()} first.
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
        JAVA_INT_UNALIGNED, at + Layouts.SEND_WR_IMMEDIATE, 0); // librxe refuses anything else
    return this;
  }
}
