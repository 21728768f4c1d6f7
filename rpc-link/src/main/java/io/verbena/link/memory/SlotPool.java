package io.verbena.link.memory;

import io.verbena.link.runtime.ThrottledLog;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jctools.queues.atomic.MpmcAtomicArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Slots of one size, carved from slabs that are allocated when first needed and kept. Safe for use
 * by any thread.
 */
public final class SlotPool {
  private static final int MOST_SLOT_BYTES = 1 << 20;

  /** Slots are used in turn: while few are in use, so few stay in the processor's cache. */
  private static final int SLAB_BYTES = 64 << 10;

  private static final ThrottledLog NO_MEMORY =
      ThrottledLog.of(SlotPool.class, "times that slots found no direct memory");

  private final int slotBytes;
  private final int maxSlots;
  private final MpmcAtomicArrayQueue<Slot> free;

  /** One that was put back and is claimed next, without the queue: calls mostly come one by one. */
  private final AtomicReference<@Nullable Slot> spare = new AtomicReference<>();

  private final AtomicInteger carved = new AtomicInteger();

  /**
   * A pool that holds at most so many slots.
   *
   * @param slotBytes the size of one slot
   * @param maxBytes the budget for all of them, at least 1 MiB
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

  /** Returns how many slots there may be. */
  public int maxSlots() {
    return maxSlots;
  }

  /** Returns how many slots are claimed now; while some are being made, they count too. */
  public int inUse() {
    return carved.get() - free.size() - (spare.get() == null ? 0 : 1);
  }

  /** Claims a slot, or returns null when all are in use, and there is no memory for more. */
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

  /** Claims a slot; where all are in use, one on the heap that belongs to no pool. */
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
   * Returns memory for more slots; null where the process has none left, or had none just now. One
   * thread looks for it at a time: where there is none, the others need not look too.
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
          "Messages are made on the heap and copied from there until there is direct memory again:"
              + " the process has none left for more slots ({}): raise -XX:MaxDirectMemorySize",
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
