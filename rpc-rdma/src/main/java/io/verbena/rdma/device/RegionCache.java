package io.verbena.rdma.device;

import com.ibm.disni.verbs.IbvMr;
import io.verbena.core.link.MemoryLife;
import io.verbena.core.memory.MemoryBudget;
import io.verbena.rdma.RdmaCounters;
import io.verbena.rdma.device.Registration.Extent;
import io.verbena.verbs.ext.VerbsPd;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Registrations of memory that is not this package's own.
 *
 * <pre>
 *   HELD, LENT  registered ─→ in use ─last release─→ idle ─least recently used, or may not stay─→ gone
 *                                ↑──── a hit: the same memory or a part ────┘
 *   ONCE        registered ─→ in use ─release─→ gone
 * </pre>
 *
 * <p>Idle ones are not deregistered until their bytes are needed, they are more than half of the
 * budget (pools must be able to grow) or too many to be looked through, or their memory's scope has
 * ended, or what its latest user had lent it for. One is found again only by memory of its own
 * scope, since an address alone could belong to other memory by now. Idle neighbours of a pool's
 * memory are registered anew together with it, so that a slab ends in one registration; with the
 * user's, that would pin a walk through a large segment again and again.
 */
final class RegionCache {
  private static final Logger LOG = LoggerFactory.getLogger(RegionCache.class);

  /** So many are looked through one by one in a few microseconds. */
  private static final int MOST_IDLE = 1024;

  private final VerbsPd domain;
  private final int access;
  private final boolean merges;
  private final MemoryBudget budget;
  private final RdmaCounters counters;
  private final Set<Registration> busy = new LinkedHashSet<>();

  /** Least recently used first. */
  private final Map<Registration, RdmaCounters.Idle> idle = new LinkedHashMap<>();

  private long idleBytes;

  /**
   * A cache that is empty.
   *
   * @param access of {@link io.verbena.verbs.ext.Access}, for memory that may be written
   * @param merges whether neighbours are registered together
   */
  RegionCache(
      VerbsPd domain, int access, boolean merges, MemoryBudget budget, RdmaCounters counters) {
    this.domain = domain;
    this.access = access;
    this.merges = merges;
    this.budget = budget;
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
      if (idle.containsKey(known)) {
        noMoreIdle(known);
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
    for (Registration one : idle.keySet()) {
      if (one.covers(extent)) {
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
    for (Registration one : List.copyOf(idle.keySet())) {
      if (one.touches(union)) {
        union = one.with(union);
        evict(one);
      }
    }
    return union;
  }

  private Registration register(Extent extent, int rights, MemoryLife life) throws IOException {
    dropDead();
    while (!budget.reserve(extent.bytes())) {
      if (idle.isEmpty()) {
        throw new IOException(
            "%d bytes cannot be registered: of maxPinnedBytes = %d, %d are in use; raise it, or use smaller pieces"
                .formatted(extent.bytes(), budget.limit(), budget.reserved()));
      }
      evict(leastRecentlyUsed());
    }
    try {
      IbvMr region =
          domain.registerMemory(extent.address(), extent.bytes(), extent.readOnly() ? 0 : rights);
      Registration made = new Registration(extent, region, life);
      busy.add(made);
      return made;
    } catch (IOException e) {
      budget.release(extent.bytes());
      throw e;
    }
  }

  /** One user less. */
  void release(Registration one) {
    if (!one.unuse() || !busy.remove(one)) {
      return;
    }
    if (!one.mayStay()) {
      deregister(one);
      return;
    }
    idle.put(one, counters.idle(one.bytes()));
    idleBytes += one.bytes();
    while (idleBytes > budget.limit() / 2 || idle.size() > MOST_IDLE) {
      evict(leastRecentlyUsed());
    }
  }

  private Registration leastRecentlyUsed() {
    return idle.keySet().iterator().next();
  }

  /** Deregisters what is idle and may not stay. */
  void dropDead() {
    for (Registration one : List.copyOf(idle.keySet())) {
      if (!one.mayStay()) {
        evict(one);
      }
    }
  }

  /** Whether there is memory whose time may come. */
  boolean isWatchful() {
    return !idle.isEmpty();
  }

  private void evict(Registration one) {
    noMoreIdle(one);
    counters.cacheEviction();
    deregister(one);
  }

  private void noMoreIdle(Registration one) {
    counters.busy(Objects.requireNonNull(idle.remove(one)));
    idleBytes -= one.bytes();
  }

  private void deregister(Registration one) {
    try {
      one.deregister();
    } catch (IOException e) {
      LOG.warn("Registered memory cannot be deregistered: {}", e.getMessage());
    }
    budget.release(one.bytes());
  }

  /** Deregisters everything, in use or not; nothing may refer to it any more. */
  void close() {
    List.copyOf(idle.keySet()).forEach(this::evict);
    busy.forEach(this::deregister);
    busy.clear();
  }
}
