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
 * Slots of one size in registered slabs, which are made when they are first needed, and kept. Peers
 * cannot access them. Sending and receiving have a pool each, so that neither can starve the other.
 */
public final class RegisteredPool {
  /** The value for no slot. */
  public static final int NONE = -1;

  private static final int PAGE = 4096;

  private final VerbsPd domain;
  private final int access;
  private final int slotBytes;
  private final int slotsPerSlab;

  /** The slots of a slab are a power of two, because a slot is looked up a dozen times. */
  private final int slabShift;

  private final Registrations memory;
  private final Arena arena = Arena.ofShared();
  private Slab[] slabs = new Slab[0];

  /** The memory of the next slab, if its registration was refused. */
  private @Nullable MemorySegment unregistered;

  private int[] free = new int[0];
  private int freeCount;

  private record Slab(long address, ByteBuffer buffer, IbvMr region, int lkey) {}

  /**
   * Makes a pool without slabs.
   *
   * @param slabBytes large enough to keep registrations rare and keys few
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
   * @return {@link #NONE} if there is none, and memory for more is {@linkplain #shortage refused}
   * @throws IOException if the device has failed
   */
  public int claim() throws IOException {
    if (freeCount == 0 && !grow()) {
      return NONE;
    }
    return free[--freeCount];
  }

  /** Releases a slot. */
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

  /** Returns the failure for a slot that is indispensable when {@link #claim} has none. */
  public IOException shortage(String what) {
    Registrations.Refused why = memory.refusal();
    return new IOException(
        "no registered memory is left "
            + what
            + "; "
            + (why == null ? "the pool has reached its largest size" : why.cure()),
        why);
  }

  /** Returns the memory of a slot, in big-endian order; use absolute indices. */
  public ByteBuffer buffer(int slot) {
    return slabOf(slot).buffer;
  }

  /** Returns the index in {@link #buffer} at which a slot begins. */
  public int offset(int slot) {
    return (slot & (slotsPerSlab - 1)) * slotBytes;
  }

  /** Returns the memory address of a slot. */
  public long address(int slot) {
    return slabOf(slot).address + offset(slot);
  }

  /** Returns the local key of a slot's memory. */
  public int lkey(int slot) {
    return slabOf(slot).lkey;
  }

  /** Returns the memory of a slot. */
  MemorySegment memory(int slot) {
    return MemorySegment.ofBuffer(buffer(slot)).asSlice(offset(slot), slotBytes);
  }

  /** Returns the key of a slot's memory for peers, of a pool that is open to one. */
  int rkey(int slot) {
    return slabOf(slot).region.getRkey();
  }

  /** Begins a request in the block, for a receive into a slot. */
  public void receiveInto(int slot, ReceiveBlock block, int index, long name) {
    Slab slab = slabOf(slot);
    block.request(index, name, slab.address + offset(slot), slotBytes, slab.lkey);
  }

  private Slab slabOf(int slot) {
    return slabs[slot >>> slabShift];
  }

  /** Deregisters and frees the slabs; no request may refer to them any more. */
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
