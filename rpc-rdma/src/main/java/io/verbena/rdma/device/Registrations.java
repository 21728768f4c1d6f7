package io.verbena.rdma.device;

import com.ibm.disni.verbs.IbvMr;
import io.verbena.link.memory.Quota;
import io.verbena.link.memory.Shortage;
import io.verbena.link.runtime.ThrottledLog;
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
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
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
public final class Registrations {
  private static final ThrottledLog KEPT =
      ThrottledLog.of(Registrations.class, "memory that stayed registered");

  /** So many are looked through one by one in a few microseconds. */
  private static final int MOST_IDLE = 1024;

  private final PinBudget budget;
  private final RdmaCounters counters;

  /** Least recently used first. */
  private final Map<Registration, RdmaCounters.Idle> idle = new LinkedHashMap<>();

  /** What nobody uses and the device does not deregister. */
  private final List<Registration> kept = new ArrayList<>();

  private long callsHeard;

  /** The latest; null once something was given back since, here or perhaps elsewhere. */
  private @Nullable Refused refusal;

  /**
   * A loop's memory, of which none is registered.
   *
   * @param budget shared with other loops
   */
  public Registrations(PinBudget budget, RdmaCounters counters) {
    this.budget = budget;
    this.counters = counters;
    this.callsHeard = budget.calls();
  }

  // ---- registering ----

  /**
   * Registers memory, making room for it.
   *
   * @throws Refused if there is none
   */
  IbvMr register(VerbsPd domain, long address, long bytes, int access) throws IOException {
    evictDead();
    while (!budget.reserve(bytes)) {
      if (!makeRoom()) {
        throw refused(Refused.byBudget(bytes, budget));
      }
    }
    RegistrationEvent event = new RegistrationEvent();
    event.bytes = bytes;
    event.begin();
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
      throw refused(Refused.bySystem(bytes, budget, e));
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

  private Refused refused(Refused made) {
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
    return refusal != null && bytes >= refusal.bytes;
  }

  /** Returns why the latest bytes were refused; null once something was given back since. */
  @Nullable Refused refusal() {
    return refusal;
  }

  /**
   * Deregisters memory that was registered here. What the device keeps stays pinned, and counts;
   * what it kept when it was removed went with it.
   */
  void deregister(IbvMr region, long bytes) throws IOException {
    DeregistrationEvent event = new DeregistrationEvent();
    event.bytes = bytes;
    event.begin();
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

  /** Returns whether the device has not deregistered what was {@linkplain #drop dropped}. */
  boolean keeps(Registration one) {
    return kept.contains(one);
  }

  /** Tries again to deregister what could not be, as has been told. */
  void dropKept() {
    if (!kept.isEmpty()) {
      Destruction destruction = new Destruction();
      kept.removeIf(one -> destruction.of(() -> deregister(one.region(), one.bytes())));
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

  /**
   * Memory was not registered, since the budget or the system allows no more and nothing idle is
   * left: what waits for less to be in use may go on later. The message says which, and the cure.
   */
  static final class Refused extends IOException {
    private static final long serialVersionUID = 1L;

    private final long bytes;
    private final String cure;
    private final transient Shortage shortage;

    private Refused(long bytes, String reason, String cure, Shortage shortage) {
      super(bytes + " bytes cannot be registered: " + reason);
      this.bytes = bytes;
      this.cure = cure;
      this.shortage = shortage;
    }

    static Refused byShare(long bytes, Quota.Share share) {
      return new Refused(
          bytes,
          "of maxPinnedBytes = %d, %d are in use, and this link has %d of its part of %d; raise maxPinnedBytes, or have less under way at a time"
              .formatted(
                  share.quota().limit(), share.quota().taken(), share.held(), share.guaranteed()),
          "raise maxPinnedBytes",
          share.shortage(bytes));
    }

    private static Refused byBudget(long bytes, PinBudget budget) {
      return new Refused(
          bytes,
          "of maxPinnedBytes = %d, %d are in use; raise maxPinnedBytes, or have less under way at a time"
              .formatted(budget.limit(), budget.registered()),
          "raise maxPinnedBytes",
          new Shortage(budget.waiters(), () -> bytes));
    }

    private static Refused bySystem(long bytes, PinBudget budget, IOException cause) {
      Refused made =
          new Refused(
              bytes,
              ("ibv_reg_mr failed with ENOMEM beside %d bytes in use, so the limit of locked memory"
                      + " (memlock) is below maxPinnedBytes = %d; raise it (ulimit -l unlimited,"
                      + " LimitMEMLOCK=infinity in the unit, --ulimit memlock=-1 for Docker, the"
                      + " runtime's LimitMEMLOCK on a node of Kubernetes), see 'verbena doctor'")
                  .formatted(budget.registered(), budget.limit()),
              "ibv_reg_mr failed with ENOMEM: raise memlock (ulimit -l unlimited)",
              new Shortage(budget.waiters(), () -> bytes));
      made.initCause(cause);
      return made;
    }

    /** Returns what is missing, and who is told when it is given back. */
    Shortage shortage() {
      return shortage;
    }

    /** Returns the cure alone, so short that a peer can be told by its connection request. */
    String cure() {
      return cure;
    }
  }

  /** Memory that is registered with a device, for JDK Flight Recorder. */
  @Name("verbena.Registration")
  @Label("Registration")
  @Category("Verbena")
  @Description("Memory is registered with a device, and pinned")
  @StackTrace(false)
  static final class RegistrationEvent extends Event {
    @Label("Bytes")
    @DataAmount
    long bytes;

    @Label("Done")
    @Description("Whether the device has taken it")
    boolean done;
  }

  /** Memory that is registered no more, for JDK Flight Recorder. */
  @Name("verbena.Deregistration")
  @Label("Deregistration")
  @Category("Verbena")
  @Description("Memory is registered with a device no more")
  @StackTrace(false)
  static final class DeregistrationEvent extends Event {
    @Label("Bytes")
    @DataAmount
    long bytes;
  }
}
