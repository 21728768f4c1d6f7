package io.verbena.rdma.device;

import com.ibm.disni.verbs.IbvMr;
import io.verbena.verbs.ext.VerbsMr;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Memory that is registered, with how many use it now. Belongs to its {@link RegionCache}. */
public final class Registration {
  private final Extent extent;
  private final IbvMr region;
  private final int lkey;
  private final boolean kept;
  private int users = 1;
  private boolean open = true;

  /**
   * A range of memory and what its life hangs on, which being referred to here keeps it alive where
   * the garbage collector decides.
   */
  record Extent(long address, long bytes, MemorySegment.Scope scope, boolean readOnly) {
    static Extent of(MemorySegment memory) {
      return new Extent(memory.address(), memory.byteSize(), memory.scope(), memory.isReadOnly());
    }

    /** Whether the memory is never freed, so that who lends it need not be asked to keep it. */
    boolean livesForEver() {
      return scope.equals(Arena.global().scope());
    }

    /**
     * What stands at an address may have been freed and be another's memory by now. Not when it is
     * of the same scope, which ends with the memory.
     */
    private boolean livesLike(Extent other) {
      return scope.equals(other.scope) && readOnly == other.readOnly;
    }

    boolean covers(Extent other) {
      return livesLike(other)
          && other.address >= address
          && other.address - address <= bytes - other.bytes;
    }

    /** Overlaps or adjoins it, and lives exactly as long. */
    boolean touches(Extent other) {
      return livesLike(other)
          && other.address <= address + bytes
          && address <= other.address + other.bytes;
    }

    /** Returns both together, which touch. */
    Extent with(Extent other) {
      long from = Math.min(address, other.address);
      long to = Math.max(address + bytes, other.address + other.bytes);
      return new Extent(from, to - from, scope, readOnly);
    }
  }

  Registration(Extent extent, IbvMr region, boolean kept) {
    this.extent = extent;
    this.region = region;
    this.lkey = region.getLkey();
    this.kept = kept;
  }

  /** Returns what it is called in this end's own requests. */
  public int lkey() {
    return lkey;
  }

  /** Returns what windows are bound to. */
  public IbvMr region() {
    return region;
  }

  Extent extent() {
    return extent;
  }

  long bytes() {
    return extent.bytes;
  }

  /** Whether it may outlive its users. */
  boolean isKept() {
    return kept;
  }

  boolean isIdle() {
    return users == 0;
  }

  void use() {
    users++;
  }

  /** Returns whether that was the last user. */
  boolean unuse() {
    return --users == 0;
  }

  boolean isExactly(long address, long length) {
    return address == extent.address && length == extent.bytes;
  }

  /** Does nothing the second time. */
  void deregister() throws IOException {
    if (open) {
      open = false;
      VerbsMr.of(region).deregister();
    }
  }
}
