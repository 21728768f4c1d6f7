package io.verbena.core.bulk.supply;

import io.verbena.core.bulk.memory.BulkMemory;
import io.verbena.core.bulk.memory.BulkMemory.Block;
import io.verbena.core.bulk.work.LimitedWait;
import io.verbena.core.bulk.work.TransferProblem;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.memory.Waiters;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Pooled memory that one session reads into what it sends. It is half of all there is at most, so
 * that a peer which does not take what it asked for leaves the rest to others; where nothing is
 * held, any one transfer may begin. Others wait in turn, for as long as those that hold it move. On
 * the loop.
 */
public final class ReadAhead {
  private final BulkMemory memory;
  private final EventLoop loop;
  private final long most;

  private final Waiters waiters = new Waiters(this::free);
  private final Map<Supply.Owner, LimitedWait> waits = new HashMap<>();
  private long held;
  private long movedAt;

  public ReadAhead(BulkMemory memory, EventLoop loop) {
    this.memory = memory;
    this.loop = loop;
    this.most = memory.limit() / 2;
  }

  /**
   * Claims memory, all or nothing.
   *
   * @param granted whether the receiver waits for it, and the owner is to hear when there may be
   *     room; whoever waits for the receiver has but half of the room, or each could wait for the
   *     other
   * @return null where others of the session have to be done before
   * @throws TransferProblem where there is not so much for any session, or nothing has moved for
   *     long: whoever holds it may wait for this one
   */
  @Nullable List<Block> claim(int count, long size, boolean granted, Supply.Owner owner)
      throws TransferProblem {
    long wanted = count * size;
    if (held > 0 && held + wanted > (granted ? most : most / 2)) {
      if (granted) {
        await(owner, wanted);
      }
      return null;
    }
    List<Block> blocks = memory.claim(count, size);
    if (blocks == null) {
      throw memory.noRoom(wanted);
    }
    forget(owner);
    blocks.forEach(block -> held += block.size());
    moved();
    return blocks;
  }

  private void await(Supply.Owner owner, long wanted) throws TransferProblem {
    LimitedWait wait =
        waits.computeIfAbsent(
            owner, one -> new LimitedWait(loop, one::suppliesMore, () -> movedAt));
    wait.tries();
    if (!wait.goesOn(waiters, () -> wanted)) {
      forget(owner);
      throw memory.noRoom(wanted);
    }
  }

  private long free() {
    return held == 0 ? Long.MAX_VALUE : most - held;
  }

  /** It does not wait any more. */
  void forget(Supply.Owner owner) {
    LimitedWait wait = waits.remove(owner);
    if (wait != null) {
      wait.ends();
    }
  }

  /** Something that was read has arrived. */
  void moved() {
    movedAt = loop.clock().nanoTime();
  }

  /** Gives memory back. */
  void release(Collection<Block> blocks) {
    if (blocks.isEmpty()) {
      return;
    }
    for (Block block : blocks) {
      held -= block.size();
      block.release();
    }
    moved();
    waiters.freed();
  }
}
