package io.verbena.rdma.device;

import com.ibm.disni.verbs.IbvMr;
import io.verbena.link.MemoryLife;
import io.verbena.link.memory.Quota;
import io.verbena.verbs.ext.VerbsPd;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;

/** Memory that is registered, with how many use it now. Belongs to its {@link Domain}. */
public final class Registration {
  private final VerbsPd domain;
  private final long address;
  private final long bytes;
  private final boolean readOnly;

  /**
   * What the memory's life hangs on. Who uses the registration refers to the memory; while nobody
   * does, it may go.
   */
  private final WeakReference<MemorySegment.Scope> scope;

  private final IbvMr region;
  private final int lkey;

  /** What its latest user said. */
  private MemoryLife life;

  private int users = 1;

  /** Whose part it counts in while it is in use: of whoever had it in use first. */
  private Quota.Share payer;

  /** A range of memory and what its life hangs on. */
  record Extent(long address, long bytes, MemorySegment.Scope scope, boolean readOnly) {
    static Extent of(MemorySegment memory) {
      return of(memory, memory.scope());
    }

    static Extent of(MemorySegment memory, MemorySegment.Scope scope) {
      return new Extent(memory.address(), memory.byteSize(), scope, memory.isReadOnly());
    }
  }

  Registration(VerbsPd domain, Extent extent, IbvMr region, MemoryLife life, Quota.Share payer) {
    this.domain = domain;
    this.address = extent.address;
    this.bytes = extent.bytes;
    this.readOnly = extent.readOnly;
    this.scope = new WeakReference<>(extent.scope);
    this.region = region;
    this.lkey = region.getLkey();
    this.life = life;
    this.payer = payer;
  }

  /** Returns what it is called in this end's own requests. */
  public int lkey() {
    return lkey;
  }

  /** Returns what windows are bound to. */
  public IbvMr region() {
    return region;
  }

  long bytes() {
    return bytes;
  }

  boolean isIn(VerbsPd one) {
    return domain == one;
  }

  /** Whether it may outlive its users: not once the memory is freed, or can be. */
  boolean mayStay() {
    MemorySegment.Scope known = scope.get();
    return known != null && known.isAlive() && life.mayStay();
  }

  /**
   * What stands at an address may have been freed and be another's memory by now. Not when it is of
   * the same scope, which ends with the memory.
   */
  private boolean livesLike(Extent other) {
    return other.scope.equals(scope.get()) && readOnly == other.readOnly;
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

  /** Returns what it covers together with an extent that it {@linkplain #touches touches}. */
  Extent with(Extent other) {
    long from = Math.min(address, other.address);
    long to = Math.max(address + bytes, other.address + other.bytes);
    return new Extent(from, to - from, other.scope, readOnly);
  }

  /** Whether others may use it than who had it made. */
  boolean isShared() {
    return life != MemoryLife.ONCE;
  }

  /** It was idle, and is in use again, in another's part. */
  void paidBy(Quota.Share share) {
    payer = share;
  }

  /** It is in use no more, or gone. */
  void giveBack() {
    payer.give(bytes);
  }

  boolean isIdle() {
    return users == 0;
  }

  void use(MemoryLife life) {
    users++;
    this.life = life;
  }

  /** Returns whether that was the last user. */
  boolean unuse() {
    return --users == 0;
  }

  boolean isExactly(long address, long length) {
    return address == this.address && length == bytes;
  }
}
