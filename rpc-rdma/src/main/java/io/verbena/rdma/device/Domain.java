package io.verbena.rdma.device;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import io.verbena.link.MemoryLife;
import io.verbena.link.PinningCosts;
import io.verbena.link.memory.Quota;
import io.verbena.link.memory.Shortage;
import io.verbena.link.runtime.NanoClock;
import io.verbena.rdma.RdmaCounters;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.device.Registration.Extent;
import io.verbena.verbs.ext.Access;
import io.verbena.verbs.ext.MemoryWindow;
import io.verbena.verbs.ext.VerbsPd;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A protection domain, with all memory that is registered in it.
 *
 * <pre>
 *   HELD, LENT  registered ─→ in use ─last release─→ idle ─least recently used, or may not stay─→ gone
 *                                ↑──── a hit: the same memory or a part ────┘
 *   ONCE        registered ─→ in use ─release─→ gone
 * </pre>
 *
 * <p>Idle registrations are kept by {@link Registrations} until it needs their bytes, or their
 * memory's scope has ended, or what its latest user had lent it for. One is found again only by
 * memory of its own scope, since an address alone could belong to other memory by now. Idle
 * neighbours of a pool's memory are registered anew together with it, so that a slab ends in one
 * registration; with the user's, that would pin a walk through a large segment again and again.
 *
 * <p>Slabs and cached registrations are closed to peers. What is opened to one is opened by range,
 * in the way that the device allows:
 *
 * <pre>
 *   windows with bounds     a window over the cached registration; the domain is the device's
 *   windows without bounds  a window over a registration of exactly the range (rdma_rxe checks the
 *                           bounds of what the window is bound to, not its own)
 *   no windows              a registration of exactly the range that is open itself; since any queue
 *                           pair of the domain could use it, every link has a domain of its own
 * </pre>
 */
public final class Domain {
  private static final Logger LOG = LoggerFactory.getLogger(Domain.class);
  private static final int SHARED_SLAB_BYTES = 1 << 20;
  private static final int PRIVATE_SLAB_BYTES = 256 << 10;

  /**
   * A peer's access to a range: by a window over a registration, which a request on the queue pair
   * binds and another invalidates, or by a registration of its own.
   *
   * @param rkey what the peer needs
   * @param rights what it may do: REMOTE_ flags of {@link Access}
   * @param address where the range begins
   * @param length in bytes
   * @param registration covers it
   * @param own whether the registration was made for it and goes with it
   * @param window null where the registration itself is open to the peer
   */
  public record PeerAccess(
      int rkey,
      int rights,
      long address,
      long length,
      Registration registration,
      boolean own,
      @Nullable MemoryWindow window) {}

  /** How a device opens memory to peers. */
  enum Opening {
    EXACT_WINDOWS,
    LOOSE_WINDOWS,
    REGISTRATIONS
  }

  private final IbvPd domain;
  private final VerbsPd verbs;
  private final Opening opening;
  private final RegisteredPool sendPool;
  private final RegisteredPool receivePool;
  private final Registrations memory;
  private final RdmaCounters counters;
  private final Set<Registration> busy = new LinkedHashSet<>();
  private final PinningProbe pinning;

  /** Invalidated ones; the longest unused is next, so that its keys are the longest out of use. */
  private final ArrayDeque<MemoryWindow> windows = new ArrayDeque<>();

  /** Windows that may be bound and could not be freed. */
  private final List<MemoryWindow> kept = new ArrayList<>();

  /** Null where links have receives of their own. */
  private @Nullable SharedReceives shared;

  Domain(
      IbvPd domain,
      Opening opening,
      RdmaSettings settings,
      Registrations memory,
      RdmaCounters counters,
      PinningProbe pinning) {
    this.domain = domain;
    this.pinning = pinning;
    this.verbs = VerbsPd.of(domain);
    this.opening = opening;
    boolean shared = opening != Opening.REGISTRATIONS;
    int slab = shared ? SHARED_SLAB_BYTES : PRIVATE_SLAB_BYTES;
    this.sendPool = new RegisteredPool(verbs, settings.slotBytes(), slab, 0, memory);
    this.receivePool =
        new RegisteredPool(verbs, settings.slotBytes(), slab, Access.LOCAL_WRITE, memory);
    this.memory = memory;
    this.counters = counters;
  }

  IbvPd pd() {
    return domain;
  }

  /** From now on links of this domain share their receives. */
  void share(int capacity, Arena arena) throws IOException {
    shared = new SharedReceives(verbs.createSrq(capacity, 1), receivePool, capacity, arena);
  }

  /** Returns the receives that links share; null where they have their own. */
  @Nullable SharedReceives shared() {
    return shared;
  }

  /** Returns slots to send from. */
  public RegisteredPool sendPool() {
    return sendPool;
  }

  /** Returns slots to receive into. */
  public RegisteredPool receivePool() {
    return receivePool;
  }

  /** Returns a link's part of what all may have registered and in use. */
  public Quota.Share join(String peer) {
    return memory.join(peer);
  }

  // ---- registrations ----

  /**
   * Registers native memory, or finds that it is; one user more.
   *
   * @param share the link's part, in which it counts unless another has it in use already
   */
  public Registration attach(MemorySegment segment, MemoryLife life, Quota.Share share)
      throws IOException {
    MemorySegment.Scope scope = life.scopeOf(segment);
    if (scope == null || life == MemoryLife.ONCE) {
      counters.cacheMiss();
      Extent once = scope == null ? Extent.of(segment) : Extent.of(segment, scope);
      return register(once, cachedRights(), MemoryLife.ONCE, share);
    }
    Extent extent = Extent.of(segment, scope);
    Registration known = find(extent);
    if (known != null && mayUse(known, share)) {
      counters.cacheHit();
      known.use(life);
      return known;
    }
    counters.cacheMiss();
    boolean merges = opening == Opening.EXACT_WINDOWS && life == MemoryLife.HELD;
    Registration merged = merges ? withIdleNeighbours(extent, life, share) : null;
    return merged == null ? register(extent, cachedRights(), life, share) : merged;
  }

  private int cachedRights() {
    return Access.LOCAL_WRITE | (opening == Opening.REGISTRATIONS ? 0 : Access.MW_BIND);
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

  private @Nullable Registration find(Extent extent) {
    for (Registration one : memory.idle()) {
      if (one.isIn(verbs) && one.covers(extent)) {
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
      if (one.isIn(verbs) && one.touches(union)) {
        union = one.with(union);
        neighbours.add(one);
      }
    }
    if (neighbours.isEmpty() || !share.take(union.bytes())) {
      return null;
    }
    neighbours.forEach(memory::evict);
    return registerPaid(union, cachedRights(), life, share);
  }

  private Registration register(Extent extent, int rights, MemoryLife life, Quota.Share share)
      throws IOException {
    if (!share.take(extent.bytes())) {
      throw Registrations.Refused.byShare(extent.bytes(), share);
    }
    return registerPaid(extent, rights, life, share);
  }

  /** Registers what has been taken of a part; gives it back there if that fails. */
  private Registration registerPaid(Extent extent, int rights, MemoryLife life, Quota.Share share)
      throws IOException {
    Registration made = null;
    try {
      IbvMr region =
          memory.register(verbs, extent.address(), extent.bytes(), extent.readOnly() ? 0 : rights);
      made = new Registration(verbs, extent, region, life, share);
      busy.add(made);
      return made;
    } finally {
      if (made == null) {
        share.give(extent.bytes());
      }
    }
  }

  /** The user of an attached registration has no more use for it. */
  public void release(Registration one) {
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

  /** Returns what registering costs on this device; has it measured the first time. */
  public CompletionStage<PinningCosts> pinning(NanoClock clock) {
    return pinning.cost(clock);
  }

  /** Returns what is missing where registering was refused; null where nothing of that kind is. */
  public static @Nullable Shortage shortage(IOException refused) {
    return refused instanceof Registrations.Refused why ? why.shortage() : null;
  }

  // ---- access for peers ----

  /**
   * Prepares to open a range to a peer. Where that takes a window, its rkey is good once a request
   * of the queue pair has bound it.
   *
   * @param registration covers the memory; null: another is made
   * @param share the link's part
   * @param rights what the peer may do: REMOTE_ flags of {@link Access}
   */
  public PeerAccess grantAccess(
      @Nullable Registration registration, MemorySegment segment, Quota.Share share, int rights)
      throws IOException {
    long address = segment.address();
    long length = segment.byteSize();
    Extent extent = Extent.of(segment);
    if (opening == Opening.REGISTRATIONS) {
      Registration own = register(extent, Access.LOCAL_WRITE | rights, MemoryLife.ONCE, share);
      return new PeerAccess(own.region().getRkey(), rights, address, length, own, true, null);
    }
    boolean exact = opening == Opening.EXACT_WINDOWS;
    if (registration != null && (exact || registration.isExactly(address, length))) {
      return bound(rights, address, length, registration, false);
    }
    Registration own = register(extent, cachedRights(), MemoryLife.ONCE, share);
    return bound(rights, address, length, own, true);
  }

  private PeerAccess bound(
      int rights, long address, long length, Registration registration, boolean own)
      throws IOException {
    MemoryWindow window = windows.poll();
    if (window == null) {
      try {
        window = verbs.allocateWindow();
      } catch (IOException e) {
        if (own) {
          release(registration);
        }
        throw e;
      }
    }
    return new PeerAccess(window.nextRkey(), rights, address, length, registration, own, window);
  }

  /**
   * Nobody can use it any more: its window is invalidated, or its queue pair is gone.
   *
   * @param bound whether the window may still be bound to a queue pair that is gone
   * @return false where a registration that is open to the peer stays: its queue pair can use it
   */
  public boolean revokeAccess(PeerAccess access, boolean bound) {
    MemoryWindow window = access.window();
    if (window != null && bound) {
      deallocate(window);
    } else if (window != null) {
      windows.add(window);
    }
    if (access.own()) {
      release(access.registration());
    }
    return window != null || !memory.keeps(access.registration());
  }

  private void deallocate(MemoryWindow window) {
    try {
      window.deallocate();
    } catch (IOException e) {
      LOG.debug("A memory window is freed with its domain: {}", e.getMessage());
      kept.add(window);
    }
  }

  /** Frees what is left; no queue pair stands in it any more. */
  void close() throws IOException {
    Destruction destruction = new Destruction();
    windows.removeIf(window -> destruction.of(window::deallocate));
    kept.removeIf(window -> destruction.of(window::deallocate));
    for (Registration one : List.copyOf(memory.idle())) {
      if (one.isIn(verbs)) {
        memory.evict(one);
      }
    }
    for (Registration one : busy) {
      memory.drop(one);
      one.giveBack();
    }
    busy.clear();
    memory.dropKept();
    if (shared != null && destruction.of(shared::destroy)) {
      shared = null;
    }
    destruction.of(sendPool::close);
    destruction.of(receivePool::close);
    if (domain.isOpen()) {
      destruction.of(domain::deallocPd);
    }
    destruction.end();
  }
}
