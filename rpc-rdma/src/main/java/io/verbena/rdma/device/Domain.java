package io.verbena.rdma.device;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import io.verbena.link.MemoryLife;
import io.verbena.link.memory.Quota;
import io.verbena.link.memory.Shortage;
import io.verbena.rdma.RdmaCounters;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.device.Registration.Extent;
import io.verbena.verbs.ext.Access;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.MemoryWindow;
import io.verbena.verbs.ext.SharedReceiveQueue;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsPd;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A protection domain, with all memory registered in it.
 *
 * <pre>
 *   HELD, LENT  registered ─→ in use ─last release─→ idle ─least recently used, or may not stay─→ gone
 *                                ↑──── a hit: the same memory or a part ────┘
 *   ONCE        registered ─→ in use ─release─→ gone
 * </pre>
 *
 * <p>{@link Registrations} keeps idle registrations until it needs their bytes, or until the scope
 * of their memory, or the use for which it was lent, has ended. A registration is found again only
 * for memory of its own scope, because the address alone could belong to other memory by now. Idle
 * neighbours of a pool's memory are registered again together with it, so that a slab becomes one
 * registration. With the user's memory, a walk through a large segment would be pinned again and
 * again by that.
 *
 * <p>Slabs and cached registrations are closed to peers. Access for a peer is opened by range, in
 * the way that the device allows:
 *
 * <pre>
 *   windows with bounds     a window over the cached registration; the domain is the device's
 *   windows without bounds  a window over a registration of exactly the range (rdma_rxe checks the
 *                           bounds of the registration, not those of the window)
 *   no windows              a registration of exactly the range, with remote access; since any queue
 *                           pair of the domain could use it, every link has a domain of its own.
 *                           What lands in at most 64 KiB is copied from a slot that stays open to
 *                           the peer, which costs less than to register the range
 * </pre>
 */
public final class Domain {
  private static final Logger LOG = LoggerFactory.getLogger(Domain.class);
  private static final int SHARED_SLAB_BYTES = 1 << 20;

  /**
   * Of a link's own: what it needs at rest, with the default settings, in one registration each.
   */
  private static final int PRIVATE_SENDS_BYTES = 64 << 10;

  private static final int PRIVATE_RECEIVES_BYTES = 128 << 10;

  /** The longest landing that is copied, and the length of the slots for that. */
  private static final int COPIED_BYTES = 64 << 10;

  private static final int COPIED_SLAB_BYTES = 128 << 10;

  /**
   * A peer's access to a range. It uses a window over a registration, which one request on the
   * queue pair binds and another invalidates, or a registration of its own.
   *
   * @param rkey the key for the peer
   * @param rights the peer's rights: REMOTE_ flags of {@link Access}
   * @param address the beginning of the range
   * @param length in bytes
   * @param registration the registration that covers the range
   * @param own whether the registration was made for this access and goes with it
   * @param window null if the registration itself is open to the peer
   * @param slot what the peer writes to in place of the range, from which it is copied; {@link
   *     RegisteredPool#NONE} for the range itself
   */
  public record PeerAccess(
      int rkey,
      int rights,
      long address,
      long length,
      @Nullable Registration registration,
      boolean own,
      @Nullable MemoryWindow window,
      int slot) {
    /** Returns whether the peer writes to other memory than the range. */
    public boolean isCopied() {
      return slot != RegisteredPool.NONE;
    }
  }

  /** The way in which a device opens memory to peers. */
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

  /** Open to the one peer of the domain; empty until that has a short landing to fill. */
  private final RegisteredPool landingPool;

  private final Registrations memory;
  private final RdmaCounters counters;
  private final Set<Registration> busy = new LinkedHashSet<>();

  /**
   * Invalidated windows. The one unused for longest is taken next, so that its old keys have been
   * invalid for longest.
   */
  private final ArrayDeque<MemoryWindow> windows = new ArrayDeque<>();

  /** Windows that may still be bound and could not be freed. */
  private final List<MemoryWindow> kept = new ArrayList<>();

  /** Null if links have receives of their own. */
  private @Nullable SharedReceives shared;

  Domain(
      IbvPd domain,
      Opening opening,
      RdmaSettings settings,
      Registrations memory,
      RdmaCounters counters) {
    this.domain = domain;
    this.verbs = VerbsPd.of(domain);
    this.opening = opening;
    boolean shared = opening != Opening.REGISTRATIONS;
    int sends = shared ? SHARED_SLAB_BYTES : PRIVATE_SENDS_BYTES;
    int receives = shared ? SHARED_SLAB_BYTES : PRIVATE_RECEIVES_BYTES;
    this.sendPool = new RegisteredPool(verbs, settings.slotBytes(), sends, 0, memory);
    this.receivePool =
        new RegisteredPool(verbs, settings.slotBytes(), receives, Access.LOCAL_WRITE, memory);
    this.landingPool =
        new RegisteredPool(
            verbs,
            COPIED_BYTES,
            COPIED_SLAB_BYTES,
            Access.LOCAL_WRITE | Access.REMOTE_WRITE,
            memory);
    this.memory = memory;
    this.counters = counters;
  }

  IbvPd pd() {
    return domain;
  }

  /** Returns whether the domain is of one link. */
  boolean isOfOneLink() {
    return opening == Opening.REGISTRATIONS;
  }

  /** Makes links of this domain share their receives from now on. */
  void share(int capacity, Arena arena) throws IOException {
    shared = new SharedReceives(verbs.createSrq(capacity, 1), receivePool, capacity, arena);
  }

  /** Returns the receives that links share; null if they have their own. */
  @Nullable SharedReceives shared() {
    return shared;
  }

  /** Returns whether links receive by this queue. */
  boolean receivesBy(@Nullable SharedReceiveQueue queue) {
    return shared != null && shared.isOver(queue);
  }

  /** Returns the slots for sending. */
  public RegisteredPool sendPool() {
    return sendPool;
  }

  /** Returns the slots for receiving. */
  public RegisteredPool receivePool() {
    return receivePool;
  }

  /** Returns a link's part of the memory that all links may register and use. */
  public Quota.Share join(String peer) {
    return memory.join(peer);
  }

  // ---- registrations ----

  /**
   * Registers native memory, or finds its registration, and adds a user. Memory that the system
   * lets no device write is registered to be read only. Since Linux 6.5 that is any shared mapping
   * of a file whose changes the file system tracks.
   *
   * @param share the link's part, in which the memory counts unless another link uses it already
   */
  public Registration attach(MemorySegment segment, MemoryLife life, Quota.Share share)
      throws IOException {
    try {
      return attachAsItIs(segment, life, share);
    } catch (VerbsException e) {
      if (e.errno() != Errno.EFAULT || segment.isReadOnly()) {
        throw e;
      }
      return attachAsItIs(segment.asReadOnly(), life, share);
    }
  }

  private Registration attachAsItIs(MemorySegment segment, MemoryLife life, Quota.Share share)
      throws IOException {
    MemorySegment.Scope scope = life.scopeOf(segment);
    if (scope == null || life == MemoryLife.ONCE) {
      counters.cacheMisses.increment();
      Extent once = scope == null ? Extent.of(segment) : Extent.of(segment, scope);
      return register(once, cachedRights(), MemoryLife.ONCE, share);
    }
    Extent extent = Extent.of(segment, scope);
    Registration known = find(extent);
    if (known != null && mayUse(known, share)) {
      counters.cacheHits.increment();
      known.use(life);
      return known;
    }
    counters.cacheMisses.increment();
    boolean merges = opening == Opening.EXACT_WINDOWS && life == MemoryLife.HELD;
    Registration merged = merges ? withIdleNeighbours(extent, life, share) : null;
    return merged == null ? register(extent, cachedRights(), life, share) : merged;
  }

  private int cachedRights() {
    return Access.LOCAL_WRITE | (opening == Opening.REGISTRATIONS ? 0 : Access.MW_BIND);
  }

  /** Uses an idle registration again; false if it is longer than the part has room for. */
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

  /**
   * Registers memory together with its idle neighbours; null if there are none, or no room for all.
   */
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

  /** Registers memory for which the part has paid; pays it back if that fails. */
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

  /** Ends a use of an attached registration. */
  public void release(Registration one) {
    if (!one.unuse() || !busy.remove(one)) {
      return;
    }
    if (one.mayStay()) {
      memory.keep(one);
    } else {
      memory.drop(one);
    }
    one.giveBack(); // last, because waiters look at once
  }

  /** Returns the resource whose lack caused a refused registration; null for other failures. */
  public static @Nullable Shortage shortage(IOException refused) {
    return refused instanceof Registrations.Refused why ? why.shortage() : null;
  }

  // ---- access for peers ----

  /**
   * Prepares to open a range to a peer. If that takes a window, its rkey is valid once a request of
   * the queue pair has bound it.
   *
   * @param registration covers the memory; null makes another one
   * @param share the link's part
   * @param rights the peer's rights: REMOTE_ flags of {@link Access}
   * @param mayCopy whether the peer may write to other memory, from which the range is copied
   */
  public PeerAccess grantAccess(
      @Nullable Registration registration,
      MemorySegment segment,
      Quota.Share share,
      int rights,
      boolean mayCopy)
      throws IOException {
    if (registration != null && registration.isReadOnly()) {
      throw new IOException(
          "the system lets no device write into this memory, as into the mapping of a file; land in"
              + " the file itself, or in other memory");
    }
    long address = segment.address();
    long length = segment.byteSize();
    Extent extent = Extent.of(segment);
    if (opening == Opening.REGISTRATIONS) {
      int slot = mayCopy && length <= COPIED_BYTES ? landingPool.claim() : RegisteredPool.NONE;
      if (slot != RegisteredPool.NONE) {
        long there = landingPool.address(slot);
        return new PeerAccess(
            landingPool.rkey(slot), rights, there, length, null, false, null, slot);
      }
      Registration own = register(extent, Access.LOCAL_WRITE | rights, MemoryLife.ONCE, share);
      int rkey = own.region().getRkey();
      return new PeerAccess(rkey, rights, address, length, own, true, null, RegisteredPool.NONE);
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
        window = memory.allocateWindow(verbs);
      } catch (IOException e) {
        if (own) {
          release(registration);
        }
        throw e;
      }
    }
    return new PeerAccess(
        window.nextRkey(), rights, address, length, registration, own, window, RegisteredPool.NONE);
  }

  /**
   * Returns the memory from which what lands by an access {@linkplain PeerAccess#isCopied is
   * copied}.
   */
  public MemorySegment landing(PeerAccess access) {
    return landingPool.memory(access.slot());
  }

  /**
   * Ends an access that cannot be used any more: its window is invalidated, or its queue pair is
   * gone.
   *
   * @param bound whether the window may still be bound to a queue pair that is gone
   * @return false if a registration that is open to the peer stays, because its queue pair can use
   *     it
   */
  public boolean revokeAccess(PeerAccess access, boolean bound) {
    Registration registration = access.registration();
    if (access.isCopied() || registration == null) {
      landingPool.release(access.slot());
      return true;
    }
    MemoryWindow window = access.window();
    if (window != null && bound) {
      deallocate(window);
    } else if (window != null) {
      windows.add(window);
    }
    if (access.own()) {
      release(registration);
    }
    return window != null || !memory.keeps(registration);
  }

  private void deallocate(MemoryWindow window) {
    try {
      window.deallocate();
    } catch (IOException e) {
      LOG.debug("A memory window is freed with its domain: {}", e.getMessage());
      kept.add(window);
    }
  }

  /** Frees everything that is left; the domain has no queue pair any more. */
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
    destruction.of(landingPool::close);
    if (domain.isOpen()) {
      destruction.of(domain::deallocPd);
    }
    destruction.end();
  }
}
