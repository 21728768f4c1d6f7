package io.verbena.core.transfer;

import io.verbena.api.wire.WireOut;
import io.verbena.codec.LargeValues;
import io.verbena.core.bulk.BulkMemory;
import io.verbena.core.bulk.BulkMemory.Block;
import io.verbena.core.bulk.FencedFuture;
import io.verbena.core.bulk.OpenSource;
import io.verbena.core.loop.LoopThread;
import io.verbena.link.MemoryLife;
import io.verbena.link.memory.Quota;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The large values of a message to be sent. While the caller waits, the caller's memory is sent
 * directly. Otherwise the values are copied into pooled memory, so that the caller may reuse its
 * own at once. Results leave each session its guaranteed part of that memory for arrivals, so a
 * peer that does not read its results blocks no other session. Values without room travel in the
 * message.
 *
 * <p>Filled by the thread that encodes the message. Closed on the session's loop, or by that thread
 * if the message is not sent.
 */
public final class LargeValuesOut implements LargeValues {
  /** A longer value is copied into one block instead of many small ones. */
  private static final long LONGEST_IN_CHUNKS = 16L << 20;

  private final BulkMemory memory;
  private final Quota.@Nullable Share share;
  private final boolean borrows;
  private final List<LargeValueTable.Entry> entries = new ArrayList<>(1);
  private final List<OpenSource> sources = new ArrayList<>(1);
  private final List<Block> blocks = new ArrayList<>();
  private Quota.@Nullable Share chargedTo;
  private long charged;
  private long shared;
  private final CompletableFuture<Void> free = new CompletableFuture<>();

  /**
   * Starts without values.
   *
   * @param memory the pool for copies
   * @param share the quota of copies; null: all free memory
   * @param borrows whether the caller waits in {@link #awaitFree}
   */
  public LargeValuesOut(BulkMemory memory, Quota.@Nullable Share share, boolean borrows) {
    this.memory = memory;
    this.share = share;
    this.borrows = borrows;
  }

  @Override
  public int take(MemorySegment value, boolean array) {
    if (entries.size() == LargeValueTable.MOST_ENTRIES) {
      return NOT_TAKEN;
    }
    if (borrows && LoopThread.mayRead(value)) {
      sources.add(new OpenSource.InMemory(value, MemoryLife.LENT.of(value)));
    } else if (!copy(value)) {
      return NOT_TAKEN;
    }
    entries.add(new LargeValueTable.Entry(value.byteSize(), array));
    return entries.size() - 1;
  }

  private boolean copy(MemorySegment value) {
    long length = value.byteSize();
    if (share != null && !share.borrow(length)) {
      return false;
    }
    shared += length;
    List<Block> claimed = claim(length);
    if (claimed == null) {
      giveBack(length);
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

  private void giveBack(long bytes) {
    shared -= bytes;
    if (share != null && bytes > 0) {
      share.give(bytes);
    }
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
  public String cure() {
    return entries.size() == LargeValueTable.MOST_ENTRIES
        ? "send at most " + LargeValueTable.MOST_ENTRIES + " large values at once"
        : "raise bulkMemoryBytes on this end (now %d, %d in use%s)"
            .formatted(
                memory.limit(), memory.inUse(), share == null ? "" : ", half of it for results");
  }

  @Override
  public void writeTable(WireOut out) {
    new LargeValueTable(entries).write(out);
  }

  /** Returns how much pooled memory the copies take. */
  public long copiedBytes() {
    return blocks.stream().mapToLong(Block::size).sum();
  }

  /** Charges the copies to a share until this is closed. */
  public void charge(Quota.Share share) {
    charged = copiedBytes();
    share.takeAnyway(charged);
    chargedTo = share;
  }

  public OpenSource source() {
    return sources.size() == 1 ? sources.getFirst() : new OpenSource.Joined(sources);
  }

  @Override
  public void close() {
    blocks.forEach(Block::release);
    blocks.clear();
    giveBack(shared);
    if (chargedTo != null) {
      chargedTo.give(charged);
      chargedTo = null;
    }
    free.complete(null);
  }

  /** Waits until nothing reads the caller's memory any more. */
  public void awaitFree() {
    FencedFuture.awaitFree(free, "Large arguments");
  }
}
