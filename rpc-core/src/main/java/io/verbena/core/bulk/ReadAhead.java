package io.verbena.core.bulk;

import io.verbena.core.bulk.BulkMemory.Block;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Pooled memory that one session reads into what it sends. It is half of all there is at most, so
 * that a peer which does not take what it asked for leaves the rest to others; where nothing is
 * held, any one transfer may begin. On the loop.
 */
final class ReadAhead {
  private final BulkMemory memory;
  private final long most;
  private final Set<Supply.Owner> waiting = new LinkedHashSet<>();
  private long held;

  ReadAhead(BulkMemory memory) {
    this.memory = memory;
    this.most = memory.limit() / 2;
  }

  /**
   * Claims memory, all or nothing; null where others of the session have to be done before.
   *
   * @param granted whether the receiver waits for it: whoever waits for the receiver has but half
   *     of the room, or each could wait for the other
   * @throws TransferProblem where there is not so much for any session
   */
  @Nullable List<Block> claim(int count, long size, boolean granted) throws TransferProblem {
    long wanted = count * size;
    if (held > 0 && held + wanted > (granted ? most : most / 2)) {
      return null;
    }
    List<Block> blocks = memory.claim(count, size);
    if (blocks == null) {
      throw StagedSupply.noMemory(memory, wanted);
    }
    blocks.forEach(block -> held += block.size());
    return blocks;
  }

  /** Has an owner hear when there may be room. */
  void await(Supply.Owner owner) {
    waiting.add(owner);
  }

  /** Gives memory back. */
  void release(Collection<Block> blocks) {
    for (Block block : blocks) {
      held -= block.size();
      block.release();
    }
    List<Supply.Owner> woken = new ArrayList<>(waiting);
    waiting.clear();
    woken.forEach(Supply.Owner::suppliesMore);
  }
}
