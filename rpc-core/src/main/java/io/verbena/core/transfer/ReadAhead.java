package io.verbena.core.transfer;

import io.verbena.api.RpcStatus;
import io.verbena.core.bulk.BulkMemory;
import io.verbena.core.bulk.BulkMemory.Block;
import io.verbena.core.bulk.LimitedWait;
import io.verbena.core.bulk.TransferProblem;
import io.verbena.core.session.SessionImpl;
import io.verbena.link.memory.Quota;
import io.verbena.link.memory.Shortage;
import io.verbena.link.memory.Waiters;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Pooled memory into which one session reads the bytes to be sent: a part of its share, and at most
 * half of all memory. So peers that do not read what they asked for leave each other session its
 * guaranteed part. Transfers without room wait in turn while those with memory make progress. On
 * the loop.
 */
final class ReadAhead {
  private final SessionImpl session;
  private final BulkMemory memory;
  private final Quota.Share share;
  private final long most;

  private final Waiters waiters = new Waiters(this::free);
  private long held;
  private long movedAt = Long.MIN_VALUE;

  ReadAhead(SessionImpl session) {
    this.session = session;
    this.memory = session.context().bulk().memory();
    this.share = session.memory().values;
    this.most = memory.limit() / 2;
  }

  /**
   * Claims memory.
   *
   * @param count the number of blocks that would be enough; fewer may be returned
   * @param wait the transfer's wait, if the receiver waits for this memory; null if this end waits
   *     for the receiver. Then only half of the room is available, because both could wait for each
   *     other
   * @return null if other transfers of the session have to finish first
   * @throws TransferProblem if no session can have so much, or nothing has moved for long: the
   *     holder of the memory may wait for this transfer
   */
  @Nullable List<Block> claim(int count, long size, @Nullable LimitedWait wait)
      throws TransferProblem {
    long each = BulkMemory.sizeFor(size);
    if (held > 0 && held + count * each > (wait != null ? most : most / 2)) {
      await(wait, new Shortage(waiters, () -> count * each), () -> readAlready(count * each));
      return null;
    }
    List<Block> blocks = taken(count, size);
    if (blocks.isEmpty()) {
      await(wait, memory.shortage(each, share), () -> memory.noRoom(each, share));
      return null;
    }
    blocks.forEach(block -> held += block.size());
    moved();
    return blocks;
  }

  private void await(@Nullable LimitedWait wait, Shortage of, Supplier<TransferProblem> why)
      throws TransferProblem {
    if (wait != null) {
      wait.tries();
      if (!wait.goesOn(of)) {
        throw why.get();
      }
    }
  }

  private TransferProblem readAlready(long wanted) {
    return new TransferProblem(
        RpcStatus.RESOURCE_EXHAUSTED,
        "no %d bytes of bulk memory: of the %d that one session may have to read ahead of sending,"
                .formatted(wanted, most)
            + " %d are in use. Raise bulkMemoryBytes, or transfer fewer objects at a time"
                .formatted(held));
  }

  /** Takes at most this many blocks, which count in the session's share. */
  private List<Block> taken(int count, long size) {
    long each = BulkMemory.sizeFor(size);
    for (int most = count; most > 0; most /= 2) {
      if (share.take(most * each)) {
        List<Block> blocks = memory.claim(most, size);
        if (blocks != null) {
          return blocks;
        }
        share.give(most * each);
      }
    }
    if (held > 0 || share.mayEverTake(each)) {
      return List.of();
    }
    List<Block> blocks = memory.claim(1, size); // otherwise no object could ever be sent
    if (blocks == null) {
      return List.of();
    }
    share.takeAnyway(each);
    return blocks;
  }

  private long free() {
    return held == 0 ? Long.MAX_VALUE : most - held;
  }

  /**
   * Returns the loop's time of the last progress: a claim, a read or a release. The least value
   * means that there was none: 0 may be in the future of a clock.
   */
  long movedAt() {
    return movedAt;
  }

  void moved() {
    movedAt = session.loop().clock().nanoTime();
  }

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
