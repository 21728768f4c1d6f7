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
 * Pooled memory that one session reads into what it sends: a part of its share, and half of all
 * there is at most. Peers that do not take what they asked for leave each other session what is
 * guaranteed to it. Transfers that find no room wait in turn, for as long as those that hold it
 * move. On the loop.
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
   * @param count how many blocks would do; there may be fewer
   * @param wait where the receiver waits for it; null where the receiver is waited for, which has
   *     but half of the room, or each could wait for the other
   * @return null where others of the session have to be done before
   * @throws TransferProblem where there is not so much for any session, or nothing has moved for
   *     long: whoever holds it may wait for this one
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

  /** Takes of the share what there is for so many blocks; returns for how many that is. */
  private int taken(int count, long each) {
    int taken = count;
    while (taken > 0 && !share.take(taken * each)) {
      taken /= 2;
    }
    if (taken == 0 && held == 0 && !share.mayEverTake(each)) {
      share.takeAnyway(each); // or no object could ever be sent
      taken = 1;
    }
    return taken;
  }

  private long free() {
    return held == 0 ? Long.MAX_VALUE : most - held;
  }

  /** Returns when something that was read arrived last, by the loop's clock. */
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
