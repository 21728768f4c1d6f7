package io.verbena.link.memory;

import io.verbena.link.runtime.ThrottledLog;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jctools.queues.atomic.MpmcAtomicArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * A pool of slots of one size. They are carved from slabs, which are allocated when they are first
 * needed and kept. A closed pool leaves them to other pools when the last slot has returned. Safe
 * for use by any thread.
 */
public final class SlotPool implements AutoCloseable {
  private static final int MOST_SLOT_BYTES = 1 << 20;

  /**
   * The queue is FIFO, so reuse walks through a whole slab. 64 KiB stay in the processor's cache.
   */
  private static final int SLAB_BYTES = 64 << 10;

  private static final ThrottledLog NO_MEMORY =
      ThrottledLog.of(SlotPool.class, "times that slots found no direct memory");

  private static final SpareMemory<ByteBuffer> SPARE =
      new SpareMemory<>(ByteBuffer::allocateDirect);

  private final int slotBytes;
  private final int maxSlots;
  private final MpmcAtomicArrayQueue<Slot> free;

  /** A released slot to claim next, without the queue, because most calls come one by one. */
  private final AtomicReference<@Nullable Slot> spare = new AtomicReference<>();

  /** The number of slots; changed under the lock. */
  private volatile int carved;

  private final List<ByteBuffer> slabs = new ArrayList<>();
  private volatile boolean closed;

  /**
   * The slots that have returned to the closed pool, and that nobody can claim any more; changed
   * under the lock.
   */
  private volatile int home;

  /**
   * Makes a pool.
   *
   * @param slotBytes the size of one slot
   * @param maxBytes the budget for all slots, at least 1 MiB
   */
  public SlotPool(int slotBytes, long maxBytes) {
    if (slotBytes < 64 || slotBytes > MOST_SLOT_BYTES) {
      throw new IllegalArgumentException(
          "a slot has 64 to " + MOST_SLOT_BYTES + " bytes, not " + slotBytes);
    }
    this.slotBytes = slotBytes;
    this.maxSlots = (int) Math.min(1 << 24, Math.max(MOST_SLOT_BYTES, maxBytes) / slotBytes);
    this.free = new MpmcAtomicArrayQueue<>(Integer.highestOneBit(Math.max(2, maxSlots) - 1) * 2);
  }

  /** Returns the size of one slot in bytes. */
  public int slotBytes() {
    return slotBytes;
  }

  /** Returns the largest number of slots. */
  public int maxSlots() {
    return maxSlots;
  }

  /** Returns the number of claimed slots. */
  public int inUse() {
    return carved - home - free.size() - (spare.get() == null ? 0 : 1);
  }

  /** Claims a slot. Returns null if all are in use and no more can be made, or if it is closed. */
  public @Nullable Slot claim() {
    Slot slot = spare.get();
    if (slot == null || !spare.compareAndSet(slot, null)) {
      slot = free.relaxedPoll();
      if (slot == null) {
        slot = claimSlowly();
        if (slot == null) {
          return null;
        }
      }
    }
    slot.claimed();
    return slot;
  }

  /** Claims a slot, or makes one on the heap without a pool if all are in use. */
  public Slot claimSurely() {
    Slot slot = claim();
    return slot == null ? Slot.unpooled(slotBytes) : slot;
  }

  private @Nullable Slot claimSlowly() {
    Slot slot = free.poll();
    if (slot == null) {
      slot = spare.getAndSet(null);
    }
    return slot == null && carved < maxSlots ? carve() : slot;
  }

  /**
   * Makes more slots, and returns one; null if no more may be made, the pool is closed, or the
   * process has no memory left, or had none a short time ago. Only one thread at a time tries, so
   * that the others need not try in vain.
   */
  private synchronized @Nullable Slot carve() {
    Slot others = free.poll(); // of a thread that was first
    int more = Math.min(Math.max(1, SLAB_BYTES / slotBytes), maxSlots - carved);
    if (others != null || more <= 0 || closed || DirectMemory.isOut()) {
      return others;
    }
    int each = Slot.LEAD + slotBytes;
    try {
      ByteBuffer slab = SPARE.take(more * each);
      slabs.add(slab);
      for (int i = 1; i < more; i++) {
        free.offer(new Slot(slab.slice(i * each, each), this));
      }
      carved += more;
      return new Slot(slab.slice(0, each), this);
    } catch (OutOfMemoryError e) {
      DirectMemory.refused();
      NO_MEMORY.warn(
          "The process has no direct memory left for more message slots ({}): messages are"
              + " encoded on the heap and copied until there is some. Raise -XX:MaxDirectMemorySize",
          e.getMessage());
      return null;
    }
  }

  void putBack(Slot slot) {
    if (spare.get() != null || !spare.compareAndSet(null, slot)) {
      free.offer(slot);
    }
    if (closed) {
      leave();
    }
  }

  /** Leaves the memory to other pools, as soon as no slot is in use. */
  @Override
  public void close() {
    closed = true;
    leave();
  }

  /**
   * Takes the unused slots out, so that nobody claims them meanwhile, and leaves the memory if they
   * are all.
   */
  private synchronized void leave() {
    int came = spare.getAndSet(null) == null ? 0 : 1;
    while (free.poll() != null) {
      came++;
    }
    home += came;
    if (home == carved) {
      slabs.forEach(slab -> SPARE.leave(slab.capacity(), slab));
      slabs.clear();
      carved = 0;
      home = 0;
    }
  }
}
