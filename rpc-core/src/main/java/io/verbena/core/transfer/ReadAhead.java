package io.verbena.core.transfer;

import io.verbena.api.RpcStatus;
import io.verbena.core.bulk.BulkMemory;
import io.verbena.core.bulk.BulkMemory.Block;
import io.verbena.core.bulk.LimitedWait;
import io.verbena.core.bulk.TransferProblem;
import io.verbena.core.session.SessionImpl;
import io.verbena.link.memory.Memory;
import io.verbena.link.memory.Quota;
import io.verbena.link.memory.Shortage;
import io.verbena.link.memory.Waiters;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The pooled memory into which one session reads bytes before it sends them. It counts in the
 * session's share of the bulk memory, and is at most half of all of it. So a peer that does not
 * read cannot take the guaranteed part of another session.
 *
 * <p>It lends memory only. {@link StagedSupply} reads into it, and knows which bytes are ready and
 * which a turn asked for.
 *
 * <pre>
 *   claim ──→ blocks: held, and in the share, until {@link #release}
 *         ├─→ null: the session reads ahead enough; its other transfers release memory first
 *         ├─→ null: the pool or the share is used up; whoever releases memory wakes this session
 *         └─→ {@link TransferProblem}: nobody made progress for as long as a {@link LimitedWait} takes
 * </pre>
 *
 * <p>A transfer that got null tries again when {@link #waiters} or the pool wake it. On the loop.
 */
final class ReadAhead {
  private final SessionImpl session;
  private final BulkMemory memory;
  private final Quota.Share share;

  /** The largest number of bytes that this session may hold here. */
  private final long most;

  /** The session's transfers that wait for bytes of {@link #held}. */
  private final Waiters waiters = new Waiters(this::free);

  /** The bytes of all blocks that were claimed and not released. */
  private long held;

  private long movedAt = Long.MIN_VALUE;

  ReadAhead(SessionImpl session) {
    this.session = session;
    this.memory = session.context().bulk().memory();
    this.share = session.memory().share(Memory.BULK);
    this.most = memory.limit() / 2;
  }

  /**
   * Claims blocks for one transfer.
   *
   * @param count the number of blocks that would be enough; fewer may be returned
   * @param size the bytes of each
   * @param wait the transfer's wait, if the receiver waits for this memory; null if this end waits
   *     for the receiver. Then only half of the room is available, because both could wait for each
   *     other
   * @return null if the transfer has to wait
   * @throws TransferProblem if no session can have so much, or if no transfer made progress for so
   *     long that the holder of the memory may be waiting for this transfer
   */
  @Nullable List<Block> claim(int count, long size, @Nullable LimitedWait wait)
      throws TransferProblem {
    long each = BulkMemory.sizeFor(size);
    long room = wait != null ? most : most / 2;
    if (held > 0 && held + count * each > room) {
      waitFor(new Shortage(waiters, () -> count * each), wait, () -> allHeld(count * each));
      return null;
    }
    List<Block> blocks = takeUpTo(count, size);
    if (blocks.isEmpty()) {
      waitFor(memory.shortage(each, share), wait, () -> memory.noRoom(each, share));
      return null;
    }
    blocks.forEach(block -> held += block.size());
    moved();
    return blocks;
  }

  /** Has the transfer woken when the shortage may be over, unless its receiver will wake it. */
  private static void waitFor(
      Shortage shortage, @Nullable LimitedWait wait, Supplier<TransferProblem> problem)
      throws TransferProblem {
    if (wait != null) {
      wait.beginAttempt();
      if (!wait.goesOn(shortage)) {
        throw problem.get();
      }
    }
  }

  private TransferProblem allHeld(long wanted) {
    return new TransferProblem(
        RpcStatus.RESOURCE_EXHAUSTED,
        "no %d bytes of bulk memory: of the %d that one session may have to read ahead of sending,"
                .formatted(wanted, most)
            + " %d are in use. Raise bulkMemoryBytes, or transfer fewer objects at a time"
                .formatted(held));
  }

  /**
   * Takes blocks from the pool, and counts them in the session's share: the whole number, or a
   * half, a quarter and so on. Returns no block if there is none.
   */
  private List<Block> takeUpTo(int count, long size) {
    long each = BulkMemory.sizeFor(size);
    for (int attempt = count; attempt > 0; attempt /= 2) {
      if (share.take(attempt * each)) {
        List<Block> blocks = memory.claim(attempt, size);
        if (blocks != null) {
          return blocks;
        }
        share.give(attempt * each);
      }
    }
    if (held > 0 || share.mayEverTake(each)) {
      return List.of();
    }
    // One block is more than the share can ever have: without this, no object could ever be sent.
    List<Block> blocks = memory.claim(1, size);
    if (blocks == null) {
      return List.of();
    }
    share.takeAnyway(each);
    return blocks;
  }

  /** Returns the room for the waiters. The first block is always allowed. */
  private long free() {
    return held == 0 ? Long.MAX_VALUE : most - held;
  }

  /**
   * Returns the loop's time of the last progress: a claim, a read or a release. {@code
   * Long.MIN_VALUE} if there was none; 0 will not do, because clock values may be negative.
   */
  long movedAt() {
    return movedAt;
  }

  /** Notes progress. */
  void moved() {
    movedAt = session.loop().clock().nanoTime();
  }

  /** Gives blocks back, and wakes the session's transfers that wait for them. */
  void release(Collection<Block> blocks) {
    if (blocks.isEmpty()) {
      return;
    }
    long given = 0;
    for (Block block : blocks) {
      given += block.size();
      block.release();
    }
    held -= given;
    share.give(given);
    moved();
    waiters.freed();
  }
}
