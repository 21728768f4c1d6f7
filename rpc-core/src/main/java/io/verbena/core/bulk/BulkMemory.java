package io.verbena.core.bulk;

import io.verbena.api.RpcStatus;
import io.verbena.link.memory.DirectMemory;
import io.verbena.link.memory.MemoryBudget;
import io.verbena.link.memory.Quota;
import io.verbena.link.memory.Shortage;
import io.verbena.link.memory.SpareMemory;
import io.verbena.link.memory.Waiters;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Memory outside the heap for large objects, within a budget. Blocks of up to a chunk come from
 * slabs, which are kept. Each longer block is allocated separately, and kept for the next one of
 * similar length until the budget is needed. Its length is rounded up where there is room, so that
 * an object that is a little longer than the last one fits, too. New memory costs the kernel more
 * than filling it costs the socket. Links may keep all of it pinned. Safe for use by any thread.
 */
public final class BulkMemory implements AutoCloseable {
  /** The longest block from a slab, and the length of the pieces of a stream. */
  public static final int CHUNK_BYTES = 1 << 20;

  private static final int SMALLEST_SHIFT = 12;
  private static final int CHUNK_SHIFT = 20;
  private static final int PAGE_BYTES = 4096;

  /** A kept block is too long if more than this part of the claimed length would be wasted. */
  private static final int MOST_WASTE = 4;

  /** So many lengths of new blocks are there between a power of two and the next. */
  private static final int LENGTHS = 8;

  /** The garbage collector frees it. */
  private static final SpareMemory<MemorySegment> SPARE =
      new SpareMemory<>(bytes -> Arena.ofAuto().allocate(bytes, PAGE_BYTES));

  private final MemoryBudget budget;
  private final Waiters waiters = new Waiters(this::left);
  private final List<ArrayDeque<MemorySegment>> free = new ArrayList<>();

  private final List<MemorySegment> slabs = new ArrayList<>();

  /** The blocks of slabs that are in use. */
  private int ofSlabs;

  /**
   * Unused blocks, the last used one at the end: long ones, and those that could not be freed yet.
   */
  private final ArrayDeque<OwnBlock> kept = new ArrayDeque<>();

  private long keptBytes;
  private boolean closed;

  private record OwnBlock(MemorySegment memory, Arena arena) {
    boolean fits(long bytes) {
      long size = memory.byteSize();
      return size >= bytes && size - bytes <= bytes / MOST_WASTE;
    }

    /**
     * Returns false while a former user still reads or writes the memory, which is that user's
     * mistake.
     */
    boolean free() {
      try {
        arena.close();
        return true;
      } catch (IllegalStateException e) {
        return false;
      }
    }
  }

  /** Makes a budget of this many bytes. Nothing is allocated yet. */
  public BulkMemory(long limit) {
    budget = new MemoryBudget(limit);
    for (int shift = SMALLEST_SHIFT; shift <= CHUNK_SHIFT; shift++) {
      free.add(new ArrayDeque<>());
    }
  }

  public long limit() {
    return budget.limit();
  }

  public long inUse() {
    return budget.reserved();
  }

  /** Returns the unused bytes that are kept for the next long object. */
  public synchronized long kept() {
    return keptBytes;
  }

  private long left() {
    return budget.limit() - budget.reserved();
  }

  private boolean reserve(long bytes) {
    boolean reserved = budget.reserve(bytes);
    if (reserved) {
      freeKeptOver(budget.limit());
    }
    return reserved;
  }

  /** Claims a block of this length; null if that would exceed the budget. */
  public @Nullable Block claim(long bytes) {
    if (bytes > CHUNK_BYTES) {
      Block again = keptBlock(bytes);
      Block roomy = again == null ? roomyBlock(bytes) : again;
      return roomy == null ? newBlock(bytes, bytes) : roomy;
    }
    List<Block> blocks = claim(1, bytes);
    return blocks == null ? null : blocks.getFirst();
  }

  /**
   * Claims a block of this length for a session, which counts in the session's share until its
   * release. Null if that would exceed the budget or the share.
   */
  public @Nullable Block claim(long bytes, Quota.Share share) {
    Block block = claim(bytes);
    if (block == null || share.take(block.size())) {
      return block == null ? null : block.paidBy(share);
    }
    block.release();
    return block.size() > bytes ? exactly(bytes, share) : null;
  }

  private @Nullable Block exactly(long bytes, Quota.Share share) {
    if (!share.take(bytes)) {
      return null;
    }
    Block block = newBlock(bytes, bytes);
    if (block == null) {
      share.give(bytes);
      return null;
    }
    return block.paidBy(share);
  }

  /**
   * Claims a block as {@link #claim(long, Quota.Share)} does, whose memory is new, and freed by its
   * release.
   */
  public @Nullable Block claimNew(long bytes, Quota.Share share) {
    Block block = exactly(bytes, share);
    return block == null ? null : block.freed();
  }

  /** Claims blocks of up to a chunk, all or none. Null if that would exceed the budget. */
  public @Nullable List<Block> claim(int count, long bytes) {
    long size = sizeFor(bytes);
    if (!reserve(size * count)) {
      return null;
    }
    List<Block> blocks = new ArrayList<>(count);
    try {
      while (blocks.size() < count) {
        blocks.add(slabBlock(bytes, size));
      }
      return blocks;
    } catch (OutOfMemoryError e) {
      budget.release(size * (count - blocks.size()));
      blocks.forEach(Block::release);
      return null; // the process has less than its budget says
    }
  }

  /**
   * Returns the reason why this many bytes could not be claimed for a session. It passes when the
   * session has more room, or when others release memory: parts that have shrunk since they were
   * taken can fill the budget although the session's own part is free.
   */
  public TransferProblem noRoom(long wanted, Quota.Share share) {
    String reason = "one session may use five eighths, and this one uses " + share.held();
    String cure =
        "Close received objects, raise bulkMemoryBytes, or transfer fewer objects at a time";
    if (DirectMemory.isOut()) {
      reason = "the process has no direct memory left";
      cure = "Raise -XX:MaxDirectMemorySize, or lower bulkMemoryBytes";
    } else if (isFull(wanted)) {
      reason = "the sessions together need more";
    }
    return new TransferProblem(
            RpcStatus.RESOURCE_EXHAUSTED,
            "no %d bytes of bulk memory: %d of %d are in use, and %s. %s"
                .formatted(wanted, inUse(), limit(), reason, cure))
        .passing(shortage(wanted, share));
  }

  /** Returns the shortage that prevented a session from claiming this many bytes. */
  public Shortage shortage(long wanted, Quota.Share share) {
    return isFull(wanted) ? new Shortage(waiters, () -> wanted) : share.shortage(wanted);
  }

  private boolean isFull(long wanted) {
    return wanted > left() || DirectMemory.isOut();
  }

  private synchronized @Nullable Block keptBlock(long bytes) {
    for (Iterator<OwnBlock> latest = kept.descendingIterator(); latest.hasNext(); ) {
      OwnBlock block = latest.next();
      long size = block.memory.byteSize();
      if (block.fits(bytes) && budget.reserve(size)) {
        latest.remove();
        keptBytes -= size;
        return new Block(block.memory, block.memory.asSlice(0, bytes), block.arena);
      }
    }
    return null;
  }

  private @Nullable Block roomyBlock(long bytes) {
    long step = Long.highestOneBit(bytes) / LENGTHS;
    return bytes > budget.limit() ? null : newBlock(bytes, Math.ceilDiv(bytes, step) * step);
  }

  private @Nullable Block newBlock(long bytes, long size) {
    if (!reserve(size)) {
      return null;
    }
    try {
      return ownBlock(bytes, size);
    } catch (OutOfMemoryError e) {
      budget.release(size);
      return null; // the process has less than its budget says
    }
  }

  /**
   * Frees kept blocks while the total exceeds this limit. The block that was unused for the longest
   * time is freed first.
   */
  private synchronized void freeKeptOver(long bytes) {
    Iterator<OwnBlock> oldest = kept.iterator();
    while (oldest.hasNext() && budget.reserved() + keptBytes > bytes) {
      OwnBlock block = oldest.next();
      if (block.free()) {
        oldest.remove();
        keptBytes -= block.memory.byteSize();
      }
    }
  }

  /** Returns how much of the budget a block of up to a chunk takes, in bytes. */
  public static long sizeFor(long bytes) {
    int shift = Math.max(SMALLEST_SHIFT, Long.SIZE - Long.numberOfLeadingZeros(bytes - 1));
    return bytes <= 1 ? 1L << SMALLEST_SHIFT : 1L << shift;
  }

  private synchronized Block slabBlock(long bytes, long size) {
    ArrayDeque<MemorySegment> fitting = freeOf(size);
    if (fitting.isEmpty()) {
      if ((slabs.size() + 1L) * CHUNK_BYTES > Math.max(budget.limit(), CHUNK_BYTES)) {
        return ownBlock(bytes, size); // the slabs have other sizes
      }
      MemorySegment slab = allocate(() -> SPARE.take(CHUNK_BYTES));
      slabs.add(slab);
      for (long at = 0; at < CHUNK_BYTES; at += size) {
        fitting.add(slab.asSlice(at, size));
      }
    }
    MemorySegment memory = fitting.remove();
    ofSlabs++;
    return new Block(memory, memory.asSlice(0, bytes), null);
  }

  private Block ownBlock(long bytes, long size) {
    Arena arena = Arena.ofShared();
    try {
      MemorySegment memory = allocate(() -> arena.allocate(size, PAGE_BYTES));
      return new Block(memory, memory.asSlice(0, bytes), arena);
    } catch (OutOfMemoryError e) {
      arena.close();
      throw e;
    }
  }

  /** Allocates memory. If the process has none left, kept blocks are freed for it. */
  private MemorySegment allocate(Supplier<MemorySegment> memory) {
    if (DirectMemory.isOut()) {
      throw new OutOfMemoryError("no direct memory is free at present");
    }
    try {
      return memory.get();
    } catch (OutOfMemoryError e) {
      return allocateInPlaceOfKept(memory, e);
    }
  }

  private MemorySegment allocateInPlaceOfKept(
      Supplier<MemorySegment> memory, OutOfMemoryError none) {
    try {
      if (kept() > 0) {
        freeKeptOver(0);
        return memory.get();
      }
    } catch (OutOfMemoryError e) {
      none.addSuppressed(e);
    }
    DirectMemory.refused();
    throw none;
  }

  private ArrayDeque<MemorySegment> freeOf(long size) {
    return free.get(Long.numberOfTrailingZeros(size) - SMALLEST_SHIFT);
  }

  private void putBack(MemorySegment whole, @Nullable Arena own) {
    long size = whole.byteSize();
    synchronized (this) {
      if (own == null) {
        freeOf(size).push(whole);
        ofSlabs--;
        leaveSlabs();
      } else {
        keepOrFree(new OwnBlock(whole, own));
      }
      budget.release(size);
    }
    waiters.freed();
  }

  private void giveBack(long bytes) {
    budget.release(bytes);
    waiters.freed();
  }

  private void keepOrFree(OwnBlock block) {
    long size = block.memory.byteSize();
    boolean wanted = size > CHUNK_BYTES && !closed;
    if (wanted || !block.free()) {
      kept.add(block);
      keptBytes += size;
    }
  }

  /** Frees the kept memory. Memory in use is freed on its release. */
  @Override
  public synchronized void close() {
    closed = true;
    freeKeptOver(0);
    leaveSlabs();
  }

  /** Leaves the slabs to others, if it is closed and nobody uses them. */
  private void leaveSlabs() {
    if (closed && ofSlabs == 0) {
      free.forEach(ArrayDeque::clear);
      slabs.forEach(slab -> SPARE.leave(CHUNK_BYTES, slab));
      slabs.clear();
    }
  }

  public final class Block {
    private final MemorySegment whole;
    private final MemorySegment memory;
    private final @Nullable Arena own;
    private Quota.@Nullable Share payer;
    private boolean freed;
    private boolean released;

    Block(MemorySegment whole, MemorySegment memory, @Nullable Arena own) {
      this.whole = whole;
      this.memory = memory;
      this.own = own;
    }

    private Block paidBy(Quota.Share share) {
      payer = share;
      return this;
    }

    private Block freed() {
      freed = true;
      return this;
    }

    /** Returns whether its release frees the memory, which ends its scope. */
    public boolean isFreed() {
      return freed;
    }

    /** Returns the memory, with the claimed length. */
    public MemorySegment memory() {
      return memory;
    }

    /** Returns how much of the budget it takes, in bytes. */
    public long size() {
      return whole.byteSize();
    }

    /**
     * Releases the block, once. Nothing may write into it any more.
     *
     * @throws IllegalStateException if the memory is to be freed, and its user reads it
     */
    public void release() {
      synchronized (this) {
        if (released) {
          return;
        }
        if (freed && own != null) {
          own.close();
        }
        released = true;
      }
      if (freed) {
        giveBack(whole.byteSize());
      } else {
        putBack(whole, own);
      }
      if (payer != null) {
        payer.give(whole.byteSize());
      }
    }
  }
}
