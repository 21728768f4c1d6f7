package io.verbena.rdma.device;

import com.ibm.disni.verbs.IbvMr;
import io.verbena.link.memory.Quota;
import io.verbena.link.memory.Shortage;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.rdma.RdmaCounters;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.MemoryWindow;
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
 * The memory that one event loop has registered, in all its domains. Every registration is made
 * here, and idle ones make room for it.
 *
 * <pre>
 *   within the budget, and the system takes it? ── yes ─→ registered
 *     │ no: budget used up, ENOMEM or EAGAIN ↑
 *     ├─ the least recently used idle registration goes
 *     ↓ nothing is idle on this loop
 *   refused; other loops are woken, and drop their idle registrations
 * </pre>
 *
 * <p>At most half of the budget is idle, over all loops. The number of idle registrations is
 * limited so that a search stays short. This object belongs to its loop, like the registrations:
 * another loop could not know whether they are still idle.
 */
public final class Registrations {
  private static final ThrottledLog KEPT =
      ThrottledLog.of(Registrations.class, "memory that stayed registered");

  /** A linear search through this many takes a few microseconds. */
  private static final int MOST_IDLE = 1024;

  private final PinBudget budget;
  private final RdmaCounters counters;

  /** Least recently used first. */
  private final Map<Registration, RdmaCounters.Idle> idle = new LinkedHashMap<>();

  /** Unused registrations that the device could not deregister. */
  private final List<Registration> kept = new ArrayList<>();

  private long callsHeard;

  /** The latest refusal; null once memory was returned since, here or perhaps elsewhere. */
  private @Nullable Refused refusal;

  /**
   * Makes an instance with nothing registered.
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
   * Registers memory, and makes room for it if necessary.
   *
   * @throws Refused if there is no room
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
      IbvMr region = makingRoom(() -> domain.registerMemory(address, bytes, access));
      budget.taken();
      event.done = true;
      return region;
    } catch (IOException e) {
      if (!isShortage(e)) {
        budget.release(bytes);
        throw e;
      }
      budget.refusedBySystem(bytes);
      throw refused(Refused.bySystem(bytes, budget, e));
    } finally {
      event.commit();
    }
  }

  /**
   * Makes a window, and makes room for it if the system limits the number of objects.
   *
   * @throws Refused if there is no room
   */
  MemoryWindow allocateWindow(VerbsPd domain) throws IOException {
    try {
      return makingRoom(domain::allocateWindow);
    } catch (VerbsException e) {
      if (!isLimitOfObjects(e)) {
        throw e;
      }
      callForRoom();
      throw Refused.bySystem(0, budget, e);
    }
  }

  private interface Making<T> {
    T of() throws IOException;
  }

  /** Makes an object, and gives up idle registrations as long as the system refuses it. */
  private <T> T makingRoom(Making<T> making) throws IOException {
    while (true) {
      try {
        return making.of();
      } catch (IOException e) {
        if (!isShortage(e) || !makeRoom()) {
          throw e;
        }
      }
    }
  }

  /** A control group's limit of objects is reached with EAGAIN. */
  private static boolean isShortage(IOException failure) {
    return failure instanceof VerbsException verbs
        && (verbs.errno() == Errno.ENOMEM || isLimitOfObjects(failure));
  }

  private static boolean isLimitOfObjects(IOException failure) {
    return failure instanceof VerbsException verbs && verbs.errno() == Errno.EAGAIN;
  }

  private Refused refused(Refused made) {
    callForRoom();
    refusal = made;
    return made;
  }

  private void callForRoom() {
    budget.callForRoom();
    callsHeard++; // registrations that become idle here meanwhile may stay
  }

  /**
   * Returns whether as many bytes, or fewer, were refused a moment ago, and nothing was returned
   * since. To ask the system again would cost a call for each frame.
   */
  boolean refuses(long bytes) {
    return refusal != null && bytes >= refusal.bytes;
  }

  /** Returns the latest refusal; null once memory was returned since. */
  @Nullable Refused refusal() {
    return refusal;
  }

  /**
   * Deregisters memory that was registered here. If the device fails to, the memory stays pinned
   * and counts; if the device was removed, the memory went with it.
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

  /** Deregisters unused memory. If the device fails to, it is tried again from time to time. */
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

  /**
   * Returns whether the device has failed to deregister {@linkplain #drop dropped} memory so far.
   */
  boolean keeps(Registration one) {
    return kept.contains(one);
  }

  /** Tries again to deregister memory, after the failure was logged. */
  void dropKept() {
    if (!kept.isEmpty()) {
      Destruction destruction = new Destruction();
      kept.removeIf(one -> destruction.of(() -> deregister(one.region(), one.bytes())));
    }
  }

  // ---- idle ----

  /** Keeps an unused registration, or drops it if too much is idle. */
  void keep(Registration one) {
    if (reserveIdle(one.bytes())) {
      idle.put(one, counters.idle(one.bytes()));
    } else {
      counters.cacheEvictions.increment();
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

  /** Returns a view of the idle registrations, of all domains. */
  Set<Registration> idle() {
    return Collections.unmodifiableSet(idle.keySet());
  }

  /** Takes a registration out of the idle ones; returns whether it was idle. */
  boolean reuse(Registration one) {
    RdmaCounters.Idle was = idle.remove(one);
    if (was == null) {
      return false;
    }
    counters.busy(was);
    budget.idle().release(one.bytes());
    return true;
  }

  /** Drops an idle registration. */
  void evict(Registration one) {
    if (reuse(one)) {
      counters.cacheEvictions.increment();
      drop(one);
    }
  }

  /** Drops the least recently used idle registration; returns false if there is none. */
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

  /** Drops all idle registrations if another loop has called for room. Called in every cycle. */
  public void hearCalls() {
    long calls = budget.calls();
    if (calls != callsHeard) {
      callsHeard = calls;
      List.copyOf(idle.keySet()).forEach(this::evict);
    }
  }

  /** Returns a link's part of the memory that all links may use. */
  Quota.Share join(String peer) {
    return budget.join(peer);
  }

  /** Returns the part of all links' slots. */
  Quota.Share pools() {
    return budget.pools();
  }

  /**
   * Drops registrations of freed memory, and tries refused ones again. Called from time to time.
   */
  public void sweep() {
    refusal = null;
    budget.systemMayTakeMore();
    dropKept();
    evictDead();
  }

  /** Returns whether {@link #sweep} may have work later. */
  public boolean isWatchful() {
    return !idle.isEmpty() || !kept.isEmpty() || !budget.waiters().isEmpty();
  }

  /**
   * Memory was not registered, because the budget or the system allows no more and nothing is idle.
   * The operation may continue when less is in use. The message names the limit and the cure.
   */
  static final class Refused extends IOException {
    private static final long serialVersionUID = 1L;

    private final long bytes;
    private final String cure;
    private final transient Shortage shortage;

    private Refused(long bytes, String reason, String cure, Shortage shortage) {
      super(
          (bytes == 0
                  ? "a memory window cannot be made: "
                  : bytes + " bytes cannot be registered: ")
              + reason);
      this.bytes = bytes;
      this.cure = cure;
      this.shortage = shortage;
    }

    static Refused byShare(long bytes, Quota.Share share) {
      return new Refused(
          bytes,
          "of maxPinnedBytes = %d, %d are in use, and this link has %d of its part of %d; raise maxPinnedBytes, or transfer less at a time"
              .formatted(
                  share.quota().limit(), share.quota().taken(), share.held(), share.guaranteed()),
          "raise maxPinnedBytes",
          share.shortage(bytes));
    }

    private static Refused byBudget(long bytes, PinBudget budget) {
      return new Refused(
          bytes,
          "of maxPinnedBytes = %d, %d are in use; raise maxPinnedBytes, or transfer less at a time"
              .formatted(budget.limit(), budget.registered()),
          "raise maxPinnedBytes",
          new Shortage(budget.waiters(), () -> bytes));
    }

    private static Refused bySystem(long bytes, PinBudget budget, IOException cause) {
      String call = cause instanceof VerbsException verbs ? verbs.call() : "ibv_reg_mr";
      String failed = call + " failed with " + (isLimitOfObjects(cause) ? "EAGAIN" : "ENOMEM");
      String limit =
          isLimitOfObjects(cause)
              ? "the control group allows no more objects of the device; raise hca_object in its"
                  + " rdma.max"
              : ("so the limit of locked memory (memlock) is below maxPinnedBytes = %d; raise it"
                      + " (ulimit -l unlimited, LimitMEMLOCK=infinity in the unit, --ulimit memlock=-1"
                      + " for Docker, the runtime's LimitMEMLOCK on a node of Kubernetes), see"
                      + " 'verbena doctor'")
                  .formatted(budget.limit());
      Refused made =
          new Refused(
              bytes,
              "%s beside %d bytes in use, %s".formatted(failed, budget.registered(), limit),
              failed
                  + (isLimitOfObjects(cause)
                      ? ": raise the control group's rdma.max"
                      : ": raise memlock (ulimit -l unlimited)"),
              new Shortage(budget.waiters(), () -> bytes));
      made.initCause(cause);
      return made;
    }

    /** Returns the missing resource, with the queue of those that wait for it. */
    Shortage shortage() {
      return shortage;
    }

    /** Returns the cure alone, short enough to be sent to a peer. */
    String cure() {
      return cure;
    }
  }

  /** An event of JDK Flight Recorder: memory was registered with a device. */
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

  /** An event of JDK Flight Recorder: memory was deregistered. */
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
