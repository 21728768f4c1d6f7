package io.verbena.rdma.device;

import com.ibm.disni.verbs.IbvMr;
import io.verbena.link.MemoryLife;
import io.verbena.link.memory.Quota;
import io.verbena.verbs.ext.VerbsPd;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;

/** Registered memory, with the number of its users. Belongs to its {@link Domain}. */
public final class Registration {
  private final VerbsPd domain;
  private final long address;
  private final long bytes;
  private final boolean readOnly;

  /**
   * The scope of the memory. Users of the registration refer to the memory; without a user it may
   * be freed.
   */
  private final WeakReference<MemorySegment.Scope> scope;

  private final IbvMr region;
  private final int lkey;

  /** The life of the memory, as its latest user declared it. */
  private MemoryLife life;

  private int users = 1;

  /** The part in which the memory counts while it is in use: that of its first user. */
  private Quota.Share payer;

  /** A range of memory, with its scope. */
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

  /** Returns the local key, for this end's requests. */
  public int lkey() {
    return lkey;
  }

  /** Returns the region that windows are bound to. */
  public IbvMr region() {
    return region;
  }

  long bytes() {
    return bytes;
  }

  boolean isReadOnly() {
    return readOnly;
  }

  boolean isIn(VerbsPd one) {
    return domain == one;
  }

  /**
   * Returns whether it may outlive its users. It may not if the memory is freed, or may be at any
   * time.
   */
  boolean mayStay() {
    MemorySegment.Scope known = scope.get();
    return known != null && known.isAlive() && life.mayStay();
  }

  /**
   * Returns whether both have the same scope. Otherwise the address may belong to other memory by
   * now.
   */
  private boolean livesLike(Extent other) {
    return other.scope.equals(scope.get()) && readOnly == other.readOnly;
  }

  boolean covers(Extent other) {
    return livesLike(other)
        && other.address >= address
        && other.address - address <= bytes - other.bytes;
  }

  /** Returns whether both overlap or adjoin, and have the same scope. */
  boolean touches(Extent other) {
    return livesLike(other)
        && other.address <= address + bytes
        && address <= other.address + other.bytes;
  }

  /** Returns the union with an extent that it {@linkplain #touches touches}. */
  Extent with(Extent other) {
    long from = Math.min(address, other.address);
    long to = Math.max(address + bytes, other.address + other.bytes);
    return new Extent(from, to - from, other.scope, readOnly);
  }

  /** Returns whether others than its first user may use it. */
  boolean isShared() {
    return life != MemoryLife.ONCE;
  }

  /** The registration is used again after it was idle, and counts in another part. */
  void paidBy(Quota.Share share) {
    payer = share;
  }

  /** The registration is not in use any more, or gone. */
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

  /** Removes a user; returns whether it was the last. */
  boolean unuse() {
    return --users == 0;
  }

  boolean isExactly(long address, long length) {
    return address == this.address && length == bytes;
  }
}
