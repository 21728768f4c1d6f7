package io.verbena.rdma.device;

import com.ibm.disni.verbs.IbvMr;
import io.verbena.core.link.MemoryLife;
import io.verbena.core.memory.Waiters;
import io.verbena.rdma.RdmaCounters;
import io.verbena.rdma.device.Registration.Extent;
import io.verbena.verbs.ext.VerbsPd;
import java.io.IOException;
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

  /** Returns a registration that covers the extent, with one more user. */
  Registration attach(Extent extent, MemoryLife life) throws IOException {
    if (life == MemoryLife.ONCE) {
      counters.cacheMiss();
      return register(extent, access, life);
    }
    Registration known = find(extent);
    if (known != null) {
      counters.cacheHit();
      if (memory.reuse(known)) {
        busy.add(known);
      }
      known.use(life);
      return known;
    }
    counters.cacheMiss();
    return register(
        merges && life == MemoryLife.HELD ? withIdleNeighbours(extent) : extent, access, life);
  }

  /** Registers an extent for one use, with rights of its own. */
  Registration register(Extent extent, int rights) throws IOException {
    return register(extent, rights, MemoryLife.ONCE);
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

  private Extent withIdleNeighbours(Extent extent) {
    Extent union = extent;
    for (Registration one : List.copyOf(memory.idle())) {
      if (one.isIn(domain) && one.touches(union)) {
        union = one.with(union);
        memory.evict(one);
      }
    }
    return union;
  }

  private Registration register(Extent extent, int rights, MemoryLife life) throws IOException {
    IbvMr region =
        memory.register(domain, extent.address(), extent.bytes(), extent.readOnly() ? 0 : rights);
    Registration made = new Registration(domain, extent, region, life);
    busy.add(made);
    return made;
  }

  /** Returns who wait until something is deregistered, on whichever loop. */
  Waiters waiters() {
    return memory.waiters();
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
  }

  /** Deregisters everything, in use or not; nothing may refer to it any more. */
  void close() {
    for (Registration one : List.copyOf(memory.idle())) {
      if (one.isIn(domain)) {
        memory.evict(one);
      }
    }
    busy.forEach(memory::drop);
    busy.clear();
    memory.dropKept();
  }
}
