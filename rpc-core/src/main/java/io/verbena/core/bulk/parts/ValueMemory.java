package io.verbena.core.bulk.parts;

import io.verbena.api.RpcStatus;
import io.verbena.core.bulk.memory.BulkMemory;
import io.verbena.core.bulk.memory.BulkMemory.Block;
import io.verbena.core.bulk.work.TransferProblem;
import io.verbena.core.memory.Quota;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Memory for the large values of a message on their way in: arrays on the heap, with a few pooled
 * blocks that they are filled through, and segments outside it. What fits the session's own part is
 * claimed whole, since nobody else could have it. Beyond, each value grows with what has arrived:
 * announcing much takes little.
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

  private static final MemorySegment NO_ARRAY = MemorySegment.ofArray(new byte[0]);

  private final PartTable table;
  private final Quota.Share heap;
  private final Quota.Share outside;
  private final BulkMemory bulk;
  private final MemorySegment[] values;
  private List<Block> blocks = List.of();
  private long onHeap;
  private long inBlocks;
  private long inSegments;

  /** There is not so much now. */
  static final class NotNow extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Quota.Share share;
    private final long bytes;

    NotNow(Quota.Share share, long bytes, String setting) {
      super("values: " + share.refusal(bytes, setting));
      this.share = share;
      this.bytes = bytes;
    }

    /** Returns what it is short of. */
    Quota.Share share() {
      return share;
    }

    /** Returns how much it needs of what others have. */
    long needs() {
      return share.beyond(bytes);
    }
  }

  /** Memory for these, none claimed yet. */
  ValueMemory(PartTable table, Quota.Share heap, Quota.Share outside, BulkMemory bulk) {
    this.table = table;
    this.heap = heap;
    this.outside = outside;
    this.bulk = bulk;
    this.values = new MemorySegment[table.entries().size()];
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
      } catch (NotNow e) {
        release(); // others of the same session have it by now: it grows by and by
        forget();
      } catch (TransferProblem e) {
        release();
        throw e;
      }
    }
  }

  /** Makes a value longer. Not while anything is written to what there is of it. */
  void enlarge(int index) throws NotNow, TransferProblem {
    long longer = Math.max(FIRST_BYTES, GROWTH * values[index].byteSize());
    enlarge(index, Math.min(table.entries().get(index).length(), longer));
  }

  private synchronized void enlarge(int index, long length) throws NotNow, TransferProblem {
    MemorySegment old = values[index];
    long more = length - old.byteSize();
    if (isArray(index)) {
      claimBlocks();
      takeFrom(heap, more, "maxAssemblyBytes");
      onHeap += more;
    } else {
      takeFrom(outside, more, "bulkMemoryBytes");
      if (!bulk.reserve(more)) {
        outside.give(more);
        throw bulk.noRoom(more);
      }
      inSegments += more;
    }
    values[index] = copied(old, length, isArray(index));
  }

  private MemorySegment copied(MemorySegment old, long length, boolean array)
      throws TransferProblem {
    try {
      MemorySegment longer =
          array
              ? MemorySegment.ofArray(new byte[(int) length])
              : Arena.ofAuto().allocate(length, Long.BYTES);
      return longer.copyFrom(old);
    } catch (OutOfMemoryError e) {
      throw exhausted(
          "%d bytes of values found no memory, although within what is allowed: %s"
              .formatted(length, e.getMessage()));
    }
  }

  private static void takeFrom(Quota.Share share, long bytes, String setting) throws NotNow {
    if (!share.take(bytes)) {
      throw new NotNow(share, bytes, setting);
    }
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

  private void claimBlocks() throws NotNow, TransferProblem {
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
    long mean = table.inArrays() / table.entries().stream().filter(PartTable.Entry::array).count();
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

  /** Gives back what was claimed; once the values are the application's, too. */
  synchronized void release() {
    heap.give(onHeap);
    outside.give(inBlocks + inSegments);
    bulk.unreserve(inSegments);
    blocks.forEach(Block::release);
    blocks = List.of();
    onHeap = 0;
    inBlocks = 0;
    inSegments = 0;
  }
}
