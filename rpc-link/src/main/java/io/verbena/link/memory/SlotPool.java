package io.verbena.link.memory;

import io.verbena.link.runtime.ThrottledLog;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jctools.queues.atomic.MpmcAtomicArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * A pool of slots of one size. They are carved from slabs, which are allocated when they are first
 * needed and kept. Safe for use by any thread.
 */
public final class SlotPool {
  private static final int MOST_SLOT_BYTES = 1 << 20;

  /**
   * The queue is FIFO, so reuse walks through a whole slab. 64 KiB stay in the processor's cache.
   */
  private static final int SLAB_BYTES = 64 << 10;

  private static final ThrottledLog NO_MEMORY =
      ThrottledLog.of(SlotPool.class, "times that slots found no direct memory");

  private final int slotBytes;
  private final int maxSlots;
  private final MpmcAtomicArrayQueue<Slot> free;

  /** A released slot to claim next, without the queue, because most calls come one by one. */
  private final AtomicReference<@Nullable Slot> spare = new AtomicReference<>();

  private final AtomicInteger carved = new AtomicInteger();

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

  /** Returns the number of claimed slots. Slots that are just being made count, too. */
  public int inUse() {
    return carved.get() - free.size() - (spare.get() == null ? 0 : 1);
  }

  /** Claims a slot. Returns null if all are in use and no more can be made. */
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
    int perSlab = Math.max(1, SLAB_BYTES / slotBytes);
    while (true) {
      Slot slot = free.poll();
      if (slot == null) {
        slot = spare.getAndSet(null);
      }
      if (slot != null) {
        return slot;
      }
      int have = carved.get();
      int more = Math.min(perSlab, maxSlots - have);
      if (more <= 0) {
        return null;
      }
      if (carved.compareAndSet(have, have + more)) {
        ByteBuffer slab = slab(more * (Slot.LEAD + slotBytes));
        if (slab == null) {
          carved.addAndGet(-more);
          return null;
        }
        return carve(slab, more);
      }
    }
  }

  /**
   * Returns memory for more slots; null if the process has none left, or had none a short time ago.
   * Only one thread at a time tries, so that the others need not try in vain.
   */
  private synchronized @Nullable ByteBuffer slab(int bytes) {
    if (DirectMemory.isOut()) {
      return null;
    }
    try {
      return ByteBuffer.allocateDirect(bytes);
    } catch (OutOfMemoryError e) {
      DirectMemory.refused();
      NO_MEMORY.warn(
          "The process has no direct memory left for more message slots ({}): messages are"
              + " encoded on the heap and copied until there is some. Raise -XX:MaxDirectMemorySize",
          e.getMessage());
      return null;
    }
  }

  /** Returns one slot of a new slab and frees the rest. */
  private Slot carve(ByteBuffer slab, int count) {
    int each = Slot.LEAD + slotBytes;
    for (int i = 1; i < count; i++) {
      free.offer(new Slot(slab.slice(i * each, each), this));
    }
    return new Slot(slab.slice(0, each), this);
  }

  void putBack(Slot slot) {
    if (spare.get() != null || !spare.compareAndSet(null, slot)) {
      free.offer(slot);
    }
  }
}
