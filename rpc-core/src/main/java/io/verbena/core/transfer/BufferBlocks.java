package io.verbena.core.transfer;

import io.verbena.core.bulk.BulkMemory;
import io.verbena.core.bulk.BulkMemory.Block;
import io.verbena.core.bulk.TransferProblem;
import io.verbena.link.memory.Quota;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The pooled blocks that one object passes through. What fits the session's own part is claimed at
 * once, since nobody else could have it. Beyond, there is one short block until it has been filled
 * once: an object that is announced and does not come takes little. Safe for use by any thread.
 */
final class BufferBlocks {
  private static final int MOST = 4;

  /** Of the first block, where the session's own part is used up. */
  private static final long SHORT_BYTES = 64 << 10;

  private final BulkMemory memory;
  private final Quota.Share share;
  private final List<Block> claimed = new ArrayList<>();
  private List<Block> grown = List.of();
  private boolean mayGrow;

  /** None yet. */
  BufferBlocks(BulkMemory memory, Quota.Share share) {
    this.memory = memory;
    this.share = share;
  }

  /**
   * Claims the blocks that an object begins with.
   *
   * @throws TransferProblem if there is not so much memory
   */
  synchronized List<Block> claimFirst(long length) throws TransferProblem {
    long size = Math.clamp(length, 1, BulkMemory.CHUNK_BYTES);
    int own = (int) Math.min(most(length, size), share.unused() / size);
    mayGrow = false;
    List<Block> blocks = own > 0 ? claim(own, size) : null;
    if (blocks == null) {
      size = Math.min(size, SHORT_BYTES);
      mayGrow = length > size;
      blocks = claim(1, size);
    }
    if (blocks == null) {
      throw memory.noRoom(size);
    }
    return blocks;
  }

  private static int most(long length, long size) {
    return (int) Math.min(MOST, (length + size - 1) / size);
  }

  private @Nullable List<Block> claim(int count, long size) {
    if (!share.take(count * size)) {
      return null;
    }
    List<Block> blocks = memory.claim(count, size);
    if (blocks == null) {
      share.give(count * size);
      return null;
    }
    claimed.addAll(blocks);
    return blocks;
  }

  /**
   * The first block has been filled, and taken: claims longer ones in its place if there are any.
   *
   * @param left how many bytes are still to come
   */
  synchronized void grow(long left) {
    if (!mayGrow || left <= SHORT_BYTES) {
      return;
    }
    long size = Math.min(left, BulkMemory.CHUNK_BYTES);
    List<Block> longer = claim(most(left, size), size);
    if (longer == null) {
      longer = claim(1, size);
    }
    if (longer != null) {
      mayGrow = false;
      grown = longer;
    }
  }

  /** Returns the blocks that have come in the place of the first, once; empty: none have. */
  synchronized List<Block> takeGrown() {
    List<Block> taken = grown;
    grown = List.of();
    return taken;
  }

  /** Gives one back that is not needed any more. */
  synchronized void release(Block block) {
    if (claimed.remove(block)) {
      share.give(block.memory().byteSize());
      block.release();
    }
  }

  /** Gives all back. */
  synchronized void release() {
    List.copyOf(claimed).forEach(this::release);
  }
}
