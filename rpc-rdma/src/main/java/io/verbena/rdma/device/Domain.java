package io.verbena.rdma.device;

import com.ibm.disni.verbs.IbvPd;
import io.verbena.core.NanoClock;
import io.verbena.core.link.LinkException.Shortage;
import io.verbena.core.link.MemoryLife;
import io.verbena.core.link.PinningCosts;
import io.verbena.core.memory.Quota;
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
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A protection domain, with all memory that is registered in it.
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
  private final RegistrationCache regions;
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
      PinnedMemory memory,
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
    int access = Access.LOCAL_WRITE | (shared ? Access.MW_BIND : 0);
    this.regions =
        new RegistrationCache(verbs, access, opening == Opening.EXACT_WINDOWS, memory, counters);
  }

  IbvPd pd() {
    return domain;
  }

  /** From now on links of this domain share their receives. */
  void share(int capacity, Arena arena) throws IOException {
    shared = new SharedReceives(verbs.createSrq(capacity, 1), receivePool, capacity, arena);
  }

  /** Returns the receives that links share; null where they have their own. */
  public @Nullable SharedReceives shared() {
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
    return regions.join(peer);
  }

  /**
   * Registers native memory, or finds that it is.
   *
   * @param share the link's part
   */
  public Registration attach(MemorySegment memory, MemoryLife life, Quota.Share share)
      throws IOException {
    MemorySegment.Scope scope = life.scopeOf(memory);
    return scope == null
        ? regions.attach(Extent.of(memory), MemoryLife.ONCE, share)
        : regions.attach(Extent.of(memory, scope), life, share);
  }

  /** Returns what registering costs on this device; has it measured the first time. */
  public CompletionStage<PinningCosts> pinning(NanoClock clock) {
    return pinning.cost(clock);
  }

  /** Returns what is missing where registering was refused; null where nothing of that kind is. */
  public static @Nullable Shortage shortage(IOException refused) {
    return refused instanceof PinningRefused why ? why.shortage() : null;
  }

  /** The user of an attached registration has no more use for it. */
  public void release(Registration registration) {
    regions.release(registration);
  }

  /**
   * Prepares to open a range to a peer. Where that takes a window, its rkey is good once a request
   * of the queue pair has bound it.
   *
   * @param registration covers the memory
   * @param share the link's part
   */
  public Exposure expose(Registration registration, MemorySegment memory, Quota.Share share)
      throws IOException {
    long address = memory.address();
    long length = memory.byteSize();
    Extent extent = Extent.of(memory);
    return switch (opening) {
      case REGISTRATIONS -> {
        Registration own =
            regions.register(extent, Access.LOCAL_WRITE | Access.REMOTE_WRITE, share);
        yield new Exposure(own.region().getRkey(), address, length, own, true, null);
      }
      case LOOSE_WINDOWS -> {
        if (registration.isExactly(address, length)) {
          yield bound(address, length, registration, false);
        }
        Registration own = regions.register(extent, Access.LOCAL_WRITE | Access.MW_BIND, share);
        yield bound(address, length, own, true);
      }
      case EXACT_WINDOWS -> bound(address, length, registration, false);
    };
  }

  private Exposure bound(long address, long length, Registration registration, boolean own)
      throws IOException {
    MemoryWindow window = windows.poll();
    if (window == null) {
      try {
        window = verbs.allocateWindow();
      } catch (IOException e) {
        if (own) {
          regions.release(registration);
        }
        throw e;
      }
    }
    return new Exposure(window.nextRkey(), address, length, registration, own, window);
  }

  /**
   * Nobody can use an exposure any more: its window is invalidated, or its queue pair is gone.
   *
   * @param bound whether the window may still be bound to a queue pair that is gone
   */
  public void conceal(Exposure exposure, boolean bound) {
    MemoryWindow window = exposure.window();
    if (window != null && bound) {
      deallocate(window);
    } else if (window != null) {
      windows.add(window);
    }
    if (exposure.own()) {
      regions.release(exposure.registration());
    }
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
    regions.close();
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
