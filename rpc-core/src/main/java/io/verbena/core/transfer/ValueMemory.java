package io.verbena.core.transfer;

import io.verbena.api.RpcStatus;
import io.verbena.core.bulk.BulkMemory;
import io.verbena.core.bulk.BulkMemory.Block;
import io.verbena.core.bulk.TransferProblem;
import io.verbena.link.memory.Quota;
import io.verbena.link.memory.Waiters;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Memory for the large values of a message on their way in: arrays on the heap, with a few pooled
 * blocks that they are filled through, and segments, each in a pooled block that becomes its
 * caller's arena's. What fits the session's own part is claimed whole, since nobody else could have
 * it. Beyond, each array grows with what has arrived: announcing much takes little.
 */
final class ValueMemory {
  private static final int MOST_BLOCKS = 4;

  /** Of blocks that are opened, and told of, once for several chunks. */
  private static final long LONG_BYTES = 4L * BulkMemory.CHUNK_BYTES;

  private static final int MOST_LONG_BLOCKS = 2;

  /** So much of a value is there before any of it has arrived. */
  private static final long FIRST_BYTES = BulkMemory.CHUNK_BYTES;

  /** A value that is full becomes so many times as long. */
  private static final int GROWTH = 4;

  private static final String CLOSE_ARENAS =
      ", close the arenas of earlier results, or raise bulkMemoryBytes";
  private static final MemorySegment NO_ARRAY = MemorySegment.ofArray(new byte[0]);

  private final LargeValueTable table;
  private final Quota.Share heap;
  private final Quota.Share outside;
  private final BulkMemory bulk;
  private final MemorySegment[] values;
  private final @Nullable Block[] segments;
  private final @Nullable Arena arena;
  private List<Block> blocks = List.of();
  private long onHeap;
  private long inBlocks;
  private long inSegments;

  /** Memory for these, none claimed yet. */
  ValueMemory(
      LargeValueTable table,
      Quota.Share heap,
      Quota.Share outside,
      @Nullable Arena arena,
      BulkMemory bulk) {
    this.arena = arena;
    this.table = table;
    this.heap = heap;
    this.outside = outside;
    this.bulk = bulk;
    this.values = new MemorySegment[table.entries().size()];
    this.segments = new Block[values.length];
    forget();
  }

  private void forget() {
    for (int i = 0; i < values.length; i++) {
      values[i] = isArray(i) ? NO_ARRAY : MemorySegment.NULL;
    }
  }

  private boolean isArray(int index) {
    return table.entries().get(index).array();
  }

  private long segments() {
    return table.total() - table.inArrays();
  }

  /** Returns a value's memory, as long as it is by now. */
  MemorySegment value(int index) {
    return values[index];
  }

  /** Returns the values' memory. */
  MemorySegment[] values() {
    return values;
  }

  /** Returns the blocks that arrays are filled through; none before the first array has memory. */
  List<Block> blocks() {
    return blocks;
  }

  /** Returns how many bytes it takes. */
  synchronized long takes() {
    return onHeap + inBlocks + inSegments;
  }

  /**
   * Claims all of it if that fits the session's own part, else nothing.
   *
   * @throws TransferProblem if it can never be had
   */
  void prepare() throws TransferProblem {
    for (LargeValueTable.Entry entry : table.entries()) {
      if (entry.array() && entry.length() > LargeValueTable.LONGEST_ARRAY) {
        throw neverFits(
            "a value of %d bytes, longer than any array: publish it as an object, or, if it is a"
                    .formatted(entry.length())
                + " result, give its call an arena (CallOptions.withResultsIn)");
      }
    }
    if (!heap.mayEverTake(table.inArrays())) {
      throw neverFits("arrays: " + heap.refusal(table.inArrays(), "maxAssemblyBytes"));
    }
    if (!outside.mayEverTake(segments())) {
      throw neverFits("values: " + outside.refusal(segments(), "bulkMemoryBytes"));
    }
    if (table.inArrays() <= heap.unused() && segments() + blockBytes() <= outside.unused()) {
      try {
        for (int i = 0; i < values.length; i++) {
          enlarge(i, table.entries().get(i).length());
        }
      } catch (TransferProblem e) {
        discard();
        if (TransferProblem.shortageOf(e) == null) {
          throw e;
        }
        forget(); // others of the same session have it by now: it grows by and by
      }
    }
  }

  /** Makes a value longer. Not while anything is written to what there is of it. */
  void enlarge(int index) throws TransferProblem {
    long longer = Math.max(FIRST_BYTES, GROWTH * values[index].byteSize());
    enlarge(index, Math.min(table.entries().get(index).length(), longer));
  }

  private synchronized void enlarge(int index, long length) throws TransferProblem {
    if (!isArray(index)) {
      claimSegment(index);
      return;
    }
    MemorySegment old = values[index];
    long more = length - old.byteSize();
    claimBlocks();
    takeFrom(heap, more, "maxAssemblyBytes");
    onHeap += more;
    values[index] = copied(old, length);
  }

  /** Claims all of a segment: it cannot grow where it is. */
  private void claimSegment(int index) throws TransferProblem {
    long length = table.entries().get(index).length();
    Block block = bulk.claim(length, outside);
    if (block == null) {
      throw notNow(outside, length, "bulkMemoryBytes", CLOSE_ARENAS);
    }
    inSegments += block.size();
    segments[index] = block;
    values[index] = block.memory();
  }

  /** Makes segments the arena's: it gives their memory back when it is closed. */
  void lend() throws TransferProblem {
    for (int i = 0; i < values.length; i++) {
      Block block = segments[i];
      if (block != null) {
        values[i] = lent(block);
      }
    }
  }

  private MemorySegment lent(Block block) throws TransferProblem {
    try {
      return block.memory().reinterpret(Objects.requireNonNull(arena), all -> block.release());
    } catch (IllegalStateException e) {
      throw new TransferProblem(
          RpcStatus.CANCELLED, "the arena of its results is closed: close it later", e);
    } catch (IllegalCallerException e) {
      throw new TransferProblem(
          RpcStatus.INTERNAL,
          "results live in an arena only where the JVM is started with"
              + " --enable-native-access=ALL-UNNAMED, or =io.verbena.core on the module path",
          e);
    }
  }

  private static MemorySegment copied(MemorySegment old, long length) throws TransferProblem {
    try {
      return MemorySegment.ofArray(new byte[(int) length]).copyFrom(old);
    } catch (OutOfMemoryError e) {
      throw exhausted(
          "%d bytes of values found no memory, although within what is allowed: %s"
              .formatted(length, e.getMessage()));
    }
  }

  private static void takeFrom(Quota.Share share, long bytes, String setting)
      throws TransferProblem {
    if (!share.take(bytes)) {
      throw notNow(share, bytes, setting, "");
    }
  }

  private static TransferProblem notNow(
      Quota.Share share, long bytes, String setting, String cure) {
    return exhausted("values: " + share.refusal(bytes, setting) + cure)
        .passing(share.shortage(bytes));
  }

  /** Tells those who have what these wait for. */
  void want(Waiters of) {
    (of == heap.waiters() ? heap : outside).quota().want();
  }

  /** As arguments they are at fault, and not the moment: to send them again is of no use. */
  private static TransferProblem neverFits(String why) {
    return new TransferProblem(RpcStatus.INVALID_ARGUMENT, why);
  }

  private static TransferProblem exhausted(String why) {
    return new TransferProblem(RpcStatus.RESOURCE_EXHAUSTED, why);
  }

  private long blockSize() {
    return Math.min(table.inArrays(), BulkMemory.CHUNK_BYTES);
  }

  private int blockCount() {
    long size = blockSize();
    return size == 0 ? 0 : (int) Math.min(MOST_BLOCKS, (table.inArrays() + size - 1) / size);
  }

  private long blockBytes() {
    return blockSize() * blockCount();
  }

  private void claimBlocks() throws TransferProblem {
    if (!blocks.isEmpty()) {
      return;
    }
    if (claimLongBlocks()) {
      return;
    }
    int count = blockCount();
    if (!outside.take(count * blockSize())) {
      count = 1;
      takeFrom(outside, blockSize(), "bulkMemoryBytes");
    }
    long bytes = count * blockSize();
    @Nullable List<Block> claimed = bulk.claim(count, blockSize());
    if (claimed == null) {
      outside.give(bytes);
      throw bulk.noRoom(bytes);
    }
    inBlocks = bytes;
    blocks = claimed;
  }

  /** For long arrays, within the session's own part, which the message's segments need, too. */
  private boolean claimLongBlocks() {
    long mean =
        table.inArrays() / table.entries().stream().filter(LargeValueTable.Entry::array).count();
    long size = mean <= LONG_BYTES / 2 ? LONG_BYTES / 2 : LONG_BYTES; // few lengths, to be kept
    int count = table.inArrays() <= size ? 1 : MOST_LONG_BLOCKS;
    if (mean <= BulkMemory.CHUNK_BYTES
        || segments() - inSegments + count * size > outside.unused()
        || !outside.take(count * size)) {
      return false;
    }
    List<Block> claimed = new ArrayList<>();
    Block block;
    while (claimed.size() < count && (block = bulk.claim(size)) != null) {
      claimed.add(block);
    }
    if (claimed.isEmpty()) {
      outside.give(count * size);
      return false;
    }
    outside.give((count - claimed.size()) * size);
    inBlocks = claimed.size() * size;
    blocks = claimed;
    return true;
  }

  /** Gives back what was needed on the way, and what arrays count for; segments stay claimed. */
  synchronized void release() {
    releaseBlocks();
    heap.give(onHeap);
    onHeap = 0;
    inSegments = 0;
  }

  /** Gives back the blocks that arrays were filled through. */
  synchronized void releaseBlocks() {
    outside.give(inBlocks);
    blocks.forEach(Block::release);
    blocks = List.of();
    inBlocks = 0;
  }

  /** Gives back all that was claimed: nobody has the values. */
  void discard() {
    release();
    for (Block block : segments) {
      if (block != null) {
        block.release();
      }
    }
  }
}
