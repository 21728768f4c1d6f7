package io.verbena.rdma.device;

import com.ibm.disni.verbs.IbvMr;
import io.verbena.rdma.wire.WorkId;
import io.verbena.verbs.ext.ReceiveBlock;
import io.verbena.verbs.ext.VerbsPd;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Slots of one size in registered slabs, which are made when first needed and kept. Peers have no
 * access to them. Sending and receiving have a pool each, so that neither can starve the other.
 */
public final class RegisteredPool {
  /** No slot. */
  public static final int NONE = -1;

  private static final int PAGE = 4096;

  private final VerbsPd domain;
  private final int access;
  private final int slotBytes;
  private final int slotsPerSlab;

  /** Slots per slab are a power of two: a slot is looked up a dozen times on its way. */
  private final int slabShift;

  private final Registrations memory;
  private final Arena arena = Arena.ofShared();
  private Slab[] slabs = new Slab[0];

  /** Memory of the next slab, where registering it was refused. */
  private @Nullable MemorySegment unregistered;

  private int[] free = new int[0];
  private int freeCount;

  private record Slab(long address, ByteBuffer buffer, IbvMr region, int lkey) {}

  /**
   * A pool without slabs yet.
   *
   * @param slabBytes large enough that registering is rare and keys are few
   */
  RegisteredPool(VerbsPd domain, int slotBytes, int slabBytes, int access, Registrations memory) {
    this.domain = domain;
    this.slotBytes = slotBytes;
    this.access = access;
    this.memory = memory;
    this.slotsPerSlab = Integer.highestOneBit(Math.max(1, slabBytes / slotBytes));
    this.slabShift = Integer.numberOfTrailingZeros(slotsPerSlab);
  }

  /** Returns the size of a slot. */
  public int slotBytes() {
    return slotBytes;
  }

  /**
   * Claims a slot.
   *
   * @return {@link #NONE} when there is none, and memory for more is {@linkplain #shortage refused}
   * @throws IOException if the device is in error
   */
  public int claim() throws IOException {
    if (freeCount == 0 && !grow()) {
      return NONE;
    }
    return free[--freeCount];
  }

  /** Gives a slot back. */
  public void release(int slot) {
    free[freeCount++] = slot;
  }

  private boolean grow() throws IOException {
    long bytes = (long) slotsPerSlab * slotBytes;
    int first = slabs.length * slotsPerSlab;
    if (first + slotsPerSlab > WorkId.MOST_SLOTS || memory.refuses(bytes)) {
      return false;
    }
    MemorySegment slab = unregistered == null ? arena.allocate(bytes, PAGE) : unregistered;
    try {
      IbvMr region = memory.register(domain, slab.address(), bytes, access);
      unregistered = null;
      memory.pools().takeAnyway(bytes);
      slabs = Arrays.copyOf(slabs, slabs.length + 1);
      slabs[slabs.length - 1] =
          new Slab(slab.address(), slab.asByteBuffer(), region, region.getLkey());
    } catch (Registrations.Refused e) {
      unregistered = slab;
      return false;
    }
    free = Arrays.copyOf(free, first + slotsPerSlab);
    for (int slot = first + slotsPerSlab - 1; slot >= first; slot--) {
      free[freeCount++] = slot;
    }
    return true;
  }

  /** Returns what to fail with where {@link #claim} has no slot and one cannot be done without. */
  public IOException shortage(String what) {
    Registrations.Refused why = memory.refusal();
    return new IOException(
        "no registered memory is left "
            + what
            + "; "
            + (why == null ? "the pool has all the slots it can" : why.cure()),
        why);
  }

  /** Returns the memory that a slot is in, in big-endian order; use absolute indices. */
  public ByteBuffer buffer(int slot) {
    return slabOf(slot).buffer;
  }

  /** Returns where in {@link #buffer} a slot begins. */
  public int offset(int slot) {
    return (slot & (slotsPerSlab - 1)) * slotBytes;
  }

  /** Returns where in memory a slot begins. */
  public long address(int slot) {
    return slabOf(slot).address + offset(slot);
  }

  /** Returns the local key of a slot's memory. */
  public int lkey(int slot) {
    return slabOf(slot).lkey;
  }

  /** Begins a block's request for a receive into a slot. */
  public void receiveInto(int slot, ReceiveBlock block, int index, long name) {
    Slab slab = slabOf(slot);
    block.request(index, name, slab.address + offset(slot), slotBytes, slab.lkey);
  }

  private Slab slabOf(int slot) {
    return slabs[slot >>> slabShift];
  }

  /** Deregisters and frees what is left; no request may refer to it any more. */
  void close() throws IOException {
    Destruction destruction = new Destruction();
    slabs =
        Arrays.stream(slabs)
            .filter(slab -> !destruction.of(() -> deregister(slab)))
            .toArray(Slab[]::new);
    destruction.end();
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }

  private void deregister(Slab slab) throws IOException {
    long bytes = (long) slotsPerSlab * slotBytes;
    memory.deregister(slab.region(), bytes);
    memory.pools().give(bytes);
  }
}
