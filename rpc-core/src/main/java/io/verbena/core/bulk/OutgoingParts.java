package io.verbena.core.bulk;

import io.verbena.api.wire.WireOut;
import io.verbena.core.bulk.BulkMemory.Block;
import io.verbena.core.codec.Parts;
import io.verbena.core.link.MemoryLife;
import io.verbena.core.loop.LoopThread;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Large values on their way out. Where the caller waits they are sent from where they are; else
 * they are copied into pooled memory, so that the caller may reuse its own at once.
 *
 * <p>Filled by the thread that encodes the message, closed on the session's loop or, when the
 * message is not sent, by that thread.
 */
public final class OutgoingParts implements Parts {
  /** What is longer is copied into one block, not into many small ones. */
  private static final long LONGEST_IN_CHUNKS = 16L << 20;

  private final BulkMemory memory;
  private final boolean borrows;
  private final List<PartTable.Entry> entries = new ArrayList<>(1);
  private final List<OpenSource> sources = new ArrayList<>(1);
  private final List<Block> blocks = new ArrayList<>();
  private final CompletableFuture<Void> free = new CompletableFuture<>();

  /**
   * No values yet.
   *
   * @param memory what is copied goes there
   * @param borrows whether the caller waits until {@link #awaitFree}
   */
  public OutgoingParts(BulkMemory memory, boolean borrows) {
    this.memory = memory;
    this.borrows = borrows;
  }

  @Override
  public int take(MemorySegment value, boolean array) {
    if (entries.size() == PartTable.MOST_ENTRIES) {
      return NOT_TAKEN;
    }
    if (borrows && LoopThread.mayRead(value)) {
      sources.add(new OpenSource.InMemory(value, MemoryLife.LENT));
    } else if (!copy(value)) {
      return NOT_TAKEN;
    }
    entries.add(new PartTable.Entry(value.byteSize(), array));
    return entries.size() - 1;
  }

  private boolean copy(MemorySegment value) {
    long length = value.byteSize();
    List<Block> claimed = claim(length);
    if (claimed == null) {
      return false;
    }
    blocks.addAll(claimed);
    long at = 0;
    for (Block block : claimed) {
      MemorySegment copy =
          block.memory().asSlice(0, Math.min(block.memory().byteSize(), length - at));
      copy.copyFrom(value.asSlice(at, copy.byteSize()));
      sources.add(new OpenSource.InMemory(copy, MemoryLife.HELD));
      at += copy.byteSize();
    }
    return true;
  }

  private @Nullable List<Block> claim(long length) {
    if (length > LONGEST_IN_CHUNKS) {
      Block whole = memory.claim(length);
      return whole == null ? null : List.of(whole);
    }
    long size = Math.min(length, BulkMemory.CHUNK_BYTES);
    return memory.claim((int) ((length + size - 1) / size), size);
  }

  @Override
  public void writeTable(WireOut out) {
    new PartTable(entries).write(out);
  }

  OpenSource source() {
    return sources.size() == 1 ? sources.getFirst() : new OpenSource.Joined(sources);
  }

  @Override
  public void close() {
    blocks.forEach(Block::release);
    blocks.clear();
    free.complete(null);
  }

  /** Waits until none of the caller's memory is read any more. */
  public void awaitFree() {
    free.join();
  }
}
