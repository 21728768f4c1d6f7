package io.verbena.core.transfer;

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
  private long movedAt;

  ReadAhead(SessionImpl session) {
    this.session = session;
    this.memory = session.bulkContext().memory();
    this.share = session.pooled();
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
      await(wait, new Shortage(waiters, () -> count * each));
      return null;
    }
    int taken = taken(count, each);
    if (taken == 0) {
      await(wait, share.shortage(each));
      return null;
    }
    List<Block> blocks = memory.claim(taken, size);
    if (blocks == null) {
      share.give(taken * each);
      throw memory.noRoom(taken * each);
    }
    blocks.forEach(block -> held += block.size());
    moved();
    return blocks;
  }

  private void await(@Nullable LimitedWait wait, Shortage of) throws TransferProblem {
    if (wait != null) {
      wait.tries();
      if (!wait.goesOn(of)) {
        throw memory.noRoom(of.needs().getAsLong());
      }
    }
  }

  /** Takes a part of the share for at most this many blocks. Returns the number of blocks. */
  private int taken(int count, long each) {
    int taken = count;
    while (taken > 0 && !share.take(taken * each)) {
      taken /= 2;
    }
    if (taken == 0 && held == 0 && !share.mayEverTake(each)) {
      share.takeAnyway(each); // otherwise no object could ever be sent
      taken = 1;
    }
    return taken;
  }

  private long free() {
    return held == 0 ? Long.MAX_VALUE : most - held;
  }

  /** Returns the loop's time of the last progress: a claim, a read or a release. */
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
