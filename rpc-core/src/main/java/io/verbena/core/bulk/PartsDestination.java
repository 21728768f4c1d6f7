package io.verbena.core.bulk;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Received;
import io.verbena.core.bulk.BulkMemory.Block;
import io.verbena.core.link.MemoryLife;
import io.verbena.core.memory.MemoryBudget;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The large values of a message on their way in. Segments are written where they will be read, into
 * memory that lives as long as anybody refers to it, piece by piece; arrays are on the heap, and
 * filled through a few pooled blocks. Budgets hold for the way: what has been handed over is the
 * application's.
 */
final class PartsDestination implements Destination {
  private static final int MOST_BLOCKS = 4;
  private static final int MOST_OPEN_PIECES = 16;

  /** Two of the longest pieces, as of any other memory. */
  private static final long MOST_OPEN_BYTES = 2 * Attached.PIECE_BYTES;

  /** So much is copied on the loop rather than handed to another thread. */
  private static final long COPIED_AT_ONCE = 64 << 10;

  private final BulkHost host;
  private final PartTable table;
  private final MemoryBudget heap;
  private final MemorySegment[] values;
  private final ArrayDeque<Block> free = new ArrayDeque<>();
  private final Map<LandingPiece, Filling> fillings = new HashMap<>();
  private final PieceCutter cutter = new PieceCutter();
  private List<Block> claimed = List.of();
  private boolean reserved;
  private int current;
  private long currentStart;
  private int openPieces;
  private long openBytes;
  private int copying;

  /** A block, and what it is to be copied into. */
  private record Filling(Block block, MemorySegment into) {}

  /**
   * Room for values, none claimed yet.
   *
   * @param heap what arrays may take on their way in
   */
  PartsDestination(BulkHost host, PartTable table, MemoryBudget heap) {
    this.host = host;
    this.table = table;
    this.heap = heap;
    this.values = new MemorySegment[table.entries().size()];
  }

  @Override
  public long capacity() {
    return table.total();
  }

  @Override
  public boolean isQuicklyPrepared(long length) {
    return length <= BulkMemory.CHUNK_BYTES;
  }

  @Override
  public void prepare(long length, boolean checked) throws TransferProblem {
    reserve();
    boolean all = false;
    try {
      claimBlocks();
      for (int i = 0; i < values.length; i++) {
        PartTable.Entry entry = table.entries().get(i);
        values[i] =
            entry.array()
                ? MemorySegment.ofArray(new byte[(int) entry.length()])
                : Arena.ofAuto().allocate(entry.length(), Long.BYTES);
      }
      all = true;
    } catch (OutOfMemoryError e) {
      throw new TransferProblem(
          RpcStatus.RESOURCE_EXHAUSTED,
          "%d bytes of values found no memory, although within what is allowed: %s"
              .formatted(table.total(), e.getMessage()));
    } finally {
      if (!all) {
        release();
      }
    }
  }

  private void reserve() throws TransferProblem {
    if (!heap.reserve(table.inArrays())) {
      throw new TransferProblem(
          RpcStatus.RESOURCE_EXHAUSTED,
          "%d bytes of arrays were to arrive, and %d of %d are taken: raise maxAssemblyBytes"
              .formatted(table.inArrays(), heap.reserved(), heap.limit()));
    }
    BulkMemory outside = host.bulkContext().memory();
    if (!outside.reserve(inSegments())) {
      heap.release(table.inArrays());
      throw StagedSupply.noMemory(outside, inSegments());
    }
    reserved = true;
  }

  private long inSegments() {
    return table.total() - table.inArrays();
  }

  private void claimBlocks() throws TransferProblem {
    long wanted = table.inArrays();
    if (wanted == 0) {
      return;
    }
    BulkMemory memory = host.bulkContext().memory();
    long size = Math.min(wanted, BulkMemory.CHUNK_BYTES);
    int count = (int) Math.min(MOST_BLOCKS, (wanted + size - 1) / size);
    List<Block> blocks = memory.claim(count, size);
    if (blocks == null) {
      throw StagedSupply.noMemory(memory, size * count);
    }
    claimed = blocks;
    free.addAll(blocks);
  }

  @Override
  public @Nullable LandingPiece next(long offset) {
    while (offset >= currentStart + values[current].byteSize()) {
      currentStart += values[current].byteSize();
      current++;
    }
    MemorySegment left = values[current].asSlice(offset - currentStart);
    return table.entries().get(current).array() ? inArray(offset, left) : inSegment(offset, left);
  }

  private @Nullable LandingPiece inSegment(long offset, MemorySegment left) {
    if (openPieces == MOST_OPEN_PIECES || openBytes + cutter.next(left) > MOST_OPEN_BYTES) {
      return null;
    }
    LandingPiece piece = cutter.cut(offset, left, MemoryLife.ONCE);
    openPieces++;
    openBytes += piece.memory.byteSize();
    return piece;
  }

  private @Nullable LandingPiece inArray(long offset, MemorySegment left) {
    Block block = free.poll();
    if (block == null) {
      return null;
    }
    MemorySegment into = left.asSlice(0, Math.min(block.memory().byteSize(), left.byteSize()));
    LandingPiece piece =
        new LandingPiece(offset, block.memory().asSlice(0, into.byteSize()), MemoryLife.HELD);
    fillings.put(piece, new Filling(block, into));
    return piece;
  }

  @Override
  public @Nullable LandingPiece shorter(LandingPiece last) {
    if (fillings.containsKey(last)) {
      return null; // its block is short
    }
    LandingPiece shorter = cutter.shorter(last);
    if (shorter != null) {
      openBytes -= last.memory.byteSize() - shorter.memory.byteSize();
    }
    return shorter;
  }

  @Override
  public void takeBack(LandingPiece last) {
    Filling filling = fillings.remove(last);
    if (filling == null) {
      leaves(last);
    } else {
      free.add(filling.block);
    }
    current = 0; // to be looked for anew: it may be a value before
    currentStart = 0;
  }

  private void leaves(LandingPiece ofSegment) {
    openPieces--;
    openBytes -= ofSegment.memory.byteSize();
  }

  @Override
  public void filled(LandingPiece piece, Consumer<Throwable> whenBroken, Runnable whenFreed) {
    Filling filling = fillings.remove(piece);
    if (filling == null) {
      leaves(piece);
      whenFreed.run();
    } else if (piece.memory.byteSize() <= COPIED_AT_ONCE) {
      filling.into.copyFrom(piece.memory);
      free.add(filling.block);
      whenFreed.run();
    } else {
      copying++;
      OffLoop.run(
          host,
          () -> filling.into.copyFrom(piece.memory),
          failure -> {
            copying--;
            free.add(filling.block);
            if (failure != null) {
              whenBroken.accept(failure);
            } else {
              whenFreed.run();
            }
          });
    }
  }

  @Override
  public void giveUp() {}

  @Override
  public boolean isIdle() {
    return copying == 0;
  }

  @Override
  public void finish(long length, @Nullable Integer expected, Consumer<@Nullable Throwable> then) {
    then.accept(null);
  }

  @Override
  public Received received(long length) {
    return Arrived.elsewhere(length);
  }

  /** Returns the values, whole. */
  MemorySegment[] values() {
    return values;
  }

  /** Gives back what was needed on the way; once the values are the application's, too. */
  void release() {
    if (reserved) {
      reserved = false;
      heap.release(table.inArrays());
      host.bulkContext().memory().unreserve(inSegments());
      claimed.forEach(Block::release);
    }
  }

  @Override
  public void discard(Runnable then) {
    release();
    then.run();
  }

  @Override
  public boolean isUsers() {
    return false;
  }
}
