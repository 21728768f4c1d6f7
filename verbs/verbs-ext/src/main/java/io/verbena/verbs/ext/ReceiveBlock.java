package io.verbena.verbs.ext;

import java.lang.foreign.Arena;

/**
 * Preallocated receive requests, in the layout that {@code ibv_post_recv} reads. {@link
 * VerbsQp#postReceive(ReceiveBlock, int, int)} posts them without allocation.
 *
 * <pre>
 * block.request(0, wrId).sge(0, address, length, lkey);
 * int posted = qp.postReceive(block, 0, 1);
 * </pre>
 *
 * <p>For one thread at a time. A block may be changed and posted again as soon as the post has
 * returned. The memory that it points to belongs to the device until the completion.
 */
public final class ReceiveBlock extends RequestBlock {
  /**
   * Allocates a block.
   *
   * @param arena owns the block's memory; keep it open while the block is used
   * @param capacity the number of requests, at least 1
   * @param maxSges the largest number of pieces of a request
   */
  public ReceiveBlock(Arena arena, int capacity, int maxSges) {
    super(arena, capacity, maxSges, Layouts.RECV_WR_SIZE);
  }

  /** Resets request {@code index}, without pieces. */
  public ReceiveBlock request(int index, long wrId) {
    begin(index, wrId, 0);
    return this;
  }

  /** Resets request {@code index}, with one piece. */
  public ReceiveBlock request(int index, long wrId, long address, int length, int lkey) {
    begin(index, wrId, 1);
    putSge(index, 0, address, length, lkey);
    return this;
  }

  /** Adds a piece to request {@code index}. */
  public ReceiveBlock sge(int index, long address, int length, int lkey) {
    addSge(index, address, length, lkey);
    return this;
  }
}
