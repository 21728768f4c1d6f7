package io.verbena.rdma.device;

import com.ibm.disni.verbs.IbvMr;
import io.verbena.core.log.ThrottledLog;
import io.verbena.core.memory.Quota;
import io.verbena.core.memory.Waiters;
import io.verbena.rdma.RdmaCounters;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsMr;
import io.verbena.verbs.ext.VerbsPd;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The memory that one event loop has registered, in all its domains. Whatever registers asks here,
 * and what is idle makes room for it.
 *
 * <pre>
 *   within the budget, and the system takes it? ── yes ─→ registered
 *     │ no: budget used up, or ENOMEM        ↑
 *     ├─ the least recently used of those that are idle goes
 *     ↓ nothing is idle on this loop
 *   refused; other loops are woken, and give up what is idle there
 * </pre>
 *
 * <p>Half of the budget at most is idle, over all loops, and no more registrations than can be
 * looked through. Belongs to its loop, as they do: another one could not know whether they are
 * still idle.
 */
public final class PinnedMemory {
  private static final ThrottledLog KEPT =
      ThrottledLog.of(PinnedMemory.class, "memory that stayed registered");

  /** So many are looked through one by one in a few microseconds. */
  private static final int MOST_IDLE = 1024;

  private final PinningBudget budget;
  private final RdmaCounters counters;

  /** Least recently used first. */
  private final Map<Registration, RdmaCounters.Idle> idle = new LinkedHashMap<>();

  /** What nobody uses and the device does not deregister. */
  private final List<Registration> kept = new ArrayList<>();

  private long callsHeard;

  /** The latest; null once something was given back since, here or perhaps elsewhere. */
  private @Nullable PinningRefused refusal;

  /**
   * A loop's memory, of which none is registered.
   *
   * @param budget shared with other loops
   */
  public PinnedMemory(PinningBudget budget, RdmaCounters counters) {
    this.budget = budget;
    this.counters = counters;
    this.callsHeard = budget.calls();
  }

  // ---- registering ----

  /**
   * Registers memory, making room for it.
   *
   * @throws PinningRefused if there is none
   */
  IbvMr register(VerbsPd domain, long address, long bytes, int access) throws IOException {
    evictDead();
    while (!budget.reserve(bytes)) {
      if (!makeRoom()) {
        throw refused(PinningRefused.byBudget(bytes, budget));
      }
    }
    RegistrationEvent event = RegistrationEvent.begun(bytes);
    try {
      IbvMr region = registerWithinBudget(domain, address, bytes, access);
      budget.taken();
      event.done = true;
      return region;
    } catch (IOException e) {
      if (!isOutOfMemory(e)) {
        budget.release(bytes);
        throw e;
      }
      budget.refusedBySystem(bytes);
      throw refused(PinningRefused.bySystem(bytes, budget, e));
    } finally {
      event.commit();
    }
  }

  private IbvMr registerWithinBudget(VerbsPd domain, long address, long bytes, int access)
      throws IOException {
    while (true) {
      try {
        return domain.registerMemory(address, bytes, access);
      } catch (IOException e) {
        if (!isOutOfMemory(e) || !makeRoom()) {
          throw e;
        }
      }
    }
  }

  private static boolean isOutOfMemory(IOException failure) {
    return failure instanceof VerbsException verbs && verbs.errno() == Errno.ENOMEM;
  }

  private PinningRefused refused(PinningRefused made) {
    callForRoom();
    refusal = made;
    return made;
  }

  private void callForRoom() {
    budget.callForRoom();
    callsHeard++; // what becomes idle here meanwhile may stay
  }

  /**
   * Returns whether so many bytes were refused a moment ago, or fewer, and nothing was given back
   * since: asking the system again would cost a call for each frame.
   */
  boolean refuses(long bytes) {
    return refusal != null && bytes >= refusal.bytes();
  }

  /** Returns why the latest bytes were refused; null once something was given back since. */
  @Nullable PinningRefused refusal() {
    return refusal;
  }

  /**
   * Deregisters memory that was registered here. What the device keeps stays pinned, and counts;
   * what it kept when it was removed went with it.
   */
  void deregister(IbvMr region, long bytes) throws IOException {
    DeregistrationEvent event = DeregistrationEvent.begun(bytes);
    try {
      VerbsMr.of(region).deregister();
      event.commit();
    } catch (IOException e) {
      if (region.getContext().isOpen()) {
        throw e;
      }
    }
    budget.release(bytes);
    refusal = null;
  }

  /** Deregisters what nobody uses any more; what the device keeps is tried again now and then. */
  void drop(Registration one) {
    try {
      deregister(one.region(), one.bytes());
    } catch (IOException e) {
      if (kept.isEmpty()) {
        KEPT.warn(
            "{} bytes stay pinned until they can be deregistered: {}", one.bytes(), e.getMessage());
      }
      kept.add(one);
    }
  }

  /** Tries again to deregister what could not be. */
  void dropKept() {
    if (!kept.isEmpty()) {
      kept.removeIf(this::isDeregistered);
    }
  }

  private boolean isDeregistered(Registration one) {
    try {
      deregister(one.region(), one.bytes());
      return true;
    } catch (IOException e) {
      return false; // as has been told
    }
  }

  // ---- idle ----

  /** Keeps what nobody uses now, or drops it where so much may not be idle. */
  void keep(Registration one) {
    if (reserveIdle(one.bytes())) {
      idle.put(one, counters.idle(one.bytes()));
    } else {
      counters.cacheEviction();
      drop(one);
    }
  }

  private boolean reserveIdle(long bytes) {
    if (bytes > budget.idle().limit()) {
      return false;
    }
    while (idle.size() == MOST_IDLE || !budget.idle().reserve(bytes)) {
      if (!makeRoom()) {
        callForRoom();
        return false;
      }
    }
    return true;
  }

  /** Returns what is idle, in any domain; a view. */
  Set<Registration> idle() {
    return Collections.unmodifiableSet(idle.keySet());
  }

  /** Has a registration in use again; returns whether it was idle. */
  boolean reuse(Registration one) {
    RdmaCounters.Idle was = idle.remove(one);
    if (was == null) {
      return false;
    }
    counters.busy(was);
    budget.idle().release(one.bytes());
    return true;
  }

  /** Drops one that is idle. */
  void evict(Registration one) {
    if (reuse(one)) {
      counters.cacheEviction();
      drop(one);
    }
  }

  /** Drops the least recently used; returns false where nothing is idle. */
  private boolean makeRoom() {
    if (idle.isEmpty()) {
      return false;
    }
    evict(idle.keySet().iterator().next());
    return true;
  }

  private void evictDead() {
    for (Registration one : List.copyOf(idle.keySet())) {
      if (!one.mayStay()) {
        evict(one);
      }
    }
  }

  /** Drops all that is idle if another loop has called for room. Due in every cycle. */
  public void hearCalls() {
    long calls = budget.calls();
    if (calls != callsHeard) {
      callsHeard = calls;
      List.copyOf(idle.keySet()).forEach(this::evict);
    }
  }

  /** Returns a link's part of what all may have in use. */
  Quota.Share join(String peer) {
    return budget.join(peer);
  }

  /** Returns what the slots of all links have of it. */
  Quota.Share pools() {
    return budget.pools();
  }

  /** Returns who wait until something is deregistered. */
  public Waiters waiters() {
    return budget.waiters();
  }

  /** Drops what is dead, and has refusals tried again. Due now and then. */
  public void sweep() {
    refusal = null;
    budget.systemMayTakeMore();
    dropKept();
    evictDead();
  }

  /** Returns whether {@link #sweep} may have something to do by and by. */
  public boolean isWatchful() {
    return !idle.isEmpty() || !kept.isEmpty() || !budget.waiters().isEmpty();
  }
}
