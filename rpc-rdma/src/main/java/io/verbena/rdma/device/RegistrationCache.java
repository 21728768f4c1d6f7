package io.verbena.rdma.device;

import com.ibm.disni.verbs.IbvMr;
import io.verbena.core.link.MemoryLife;
import io.verbena.core.memory.Quota;
import io.verbena.rdma.RdmaCounters;
import io.verbena.rdma.device.Registration.Extent;
import io.verbena.verbs.ext.VerbsPd;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Registrations, in one domain, of memory that is not this package's own.
 *
 * <pre>
 *   HELD, LENT  registered ─→ in use ─last release─→ idle ─least recently used, or may not stay─→ gone
 *                                ↑──── a hit: the same memory or a part ────┘
 *   ONCE        registered ─→ in use ─release─→ gone
 * </pre>
 *
 * <p>Idle ones are kept by {@link PinnedMemory} until it needs their bytes, or their memory's scope
 * has ended, or what its latest user had lent it for. One is found again only by memory of its own
 * scope, since an address alone could belong to other memory by now. Idle neighbours of a pool's
 * memory are registered anew together with it, so that a slab ends in one registration; with the
 * user's, that would pin a walk through a large segment again and again.
 */
final class RegistrationCache {
  private final VerbsPd domain;
  private final int access;
  private final boolean merges;
  private final PinnedMemory memory;
  private final RdmaCounters counters;
  private final Set<Registration> busy = new LinkedHashSet<>();

  /**
   * A cache that is empty.
   *
   * @param access of {@link io.verbena.verbs.ext.Access}, for memory that may be written
   * @param merges whether neighbours are registered together
   */
  RegistrationCache(
      VerbsPd domain, int access, boolean merges, PinnedMemory memory, RdmaCounters counters) {
    this.domain = domain;
    this.access = access;
    this.merges = merges;
    this.memory = memory;
    this.counters = counters;
  }

  /**
   * Returns a registration that covers the extent, with one more user.
   *
   * @param share whose part it counts in, unless another has it in use already
   */
  Registration attach(Extent extent, MemoryLife life, Quota.Share share) throws IOException {
    if (life == MemoryLife.ONCE) {
      counters.cacheMiss();
      return register(extent, access, life, share);
    }
    Registration known = find(extent);
    if (known != null && mayUse(known, share)) {
      counters.cacheHit();
      known.use(life);
      return known;
    }
    counters.cacheMiss();
    Registration merged =
        merges && life == MemoryLife.HELD ? withIdleNeighbours(extent, life, share) : null;
    return merged == null ? register(extent, access, life, share) : merged;
  }

  /** Has what was idle in use again; false where it is longer than the part has room for. */
  private boolean mayUse(Registration known, Quota.Share share) {
    if (!known.isIdle()) {
      return true;
    }
    if (!share.take(known.bytes())) {
      return false;
    }
    memory.reuse(known);
    known.paidBy(share);
    busy.add(known);
    return true;
  }

  /** Registers an extent for one use, with rights of its own. */
  Registration register(Extent extent, int rights, Quota.Share share) throws IOException {
    return register(extent, rights, MemoryLife.ONCE, share);
  }

  private @Nullable Registration find(Extent extent) {
    for (Registration one : memory.idle()) {
      if (one.isIn(domain) && one.covers(extent)) {
        return one;
      }
    }
    for (Registration one : busy) {
      if (one.isShared() && one.covers(extent)) {
        return one;
      }
    }
    return null;
  }

  /** Registers it together with its neighbours; null where there are none, or no room for all. */
  private @Nullable Registration withIdleNeighbours(
      Extent extent, MemoryLife life, Quota.Share share) throws IOException {
    Extent union = extent;
    List<Registration> neighbours = new ArrayList<>();
    for (Registration one : memory.idle()) {
      if (one.isIn(domain) && one.touches(union)) {
        union = one.with(union);
        neighbours.add(one);
      }
    }
    if (neighbours.isEmpty() || !share.take(union.bytes())) {
      return null;
    }
    neighbours.forEach(memory::evict);
    return registerPaid(union, access, life, share);
  }

  private Registration register(Extent extent, int rights, MemoryLife life, Quota.Share share)
      throws IOException {
    if (!share.take(extent.bytes())) {
      throw PinningRefused.byShare(extent.bytes(), share);
    }
    return registerPaid(extent, rights, life, share);
  }

  /** Registers what has been taken of a part; gives it back there if that fails. */
  private Registration registerPaid(Extent extent, int rights, MemoryLife life, Quota.Share share)
      throws IOException {
    Registration made = null;
    try {
      IbvMr region =
          memory.register(domain, extent.address(), extent.bytes(), extent.readOnly() ? 0 : rights);
      made = new Registration(domain, extent, region, life, share);
      busy.add(made);
      return made;
    } finally {
      if (made == null) {
        share.give(extent.bytes());
      }
    }
  }

  /** Returns a link's part of what all may have in use. */
  Quota.Share join(String peer) {
    return memory.join(peer);
  }

  /** One user less. */
  void release(Registration one) {
    if (!one.unuse() || !busy.remove(one)) {
      return;
    }
    if (one.mayStay()) {
      memory.keep(one);
    } else {
      memory.drop(one);
    }
    one.giveBack(); // last: who is told looks at once
  }

  /** Deregisters everything, in use or not; nothing may refer to it any more. */
  void close() {
    for (Registration one : List.copyOf(memory.idle())) {
      if (one.isIn(domain)) {
        memory.evict(one);
      }
    }
    busy.forEach(
        one -> {
          memory.drop(one);
          one.giveBack();
        });
    busy.clear();
    memory.dropKept();
  }
}
