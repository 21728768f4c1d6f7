package io.verbena.rdma.device;

import io.verbena.link.BulkPort;
import io.verbena.link.memory.MemoryBudget;
import io.verbena.link.memory.Quota;
import io.verbena.link.memory.Waiters;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How many bytes a provider's loops may have registered together, and how many of these may be
 * idle: half, so that pools can grow. What is in use for a link's objects is that link's part of a
 * {@link Quota}; what slots take counts there, too, and is never refused by it. Who found no room
 * waits here, whichever loop frees some. Safe for use by any thread.
 */
public final class PinBudget {
  /** However many links there are, each may register a piece of the shortest. */
  private static final long LEAST_BYTES = BulkPort.LEAST_PIECE_BYTES;

  private final MemoryBudget all;
  private final MemoryBudget idle;
  private final Quota shared;
  private final Quota.Share pools;
  private final AtomicLong calls = new AtomicLong();
  private final Waiters waiters = new Waiters(this::room);
  private final Set<Runnable> loops = ConcurrentHashMap.newKeySet();

  /** What was registered when the system took no more; it may take more by now. */
  private volatile long systemTakes = Long.MAX_VALUE;

  /** A budget of so many bytes, of which none are registered. */
  public PinBudget(long limit) {
    this.all = new MemoryBudget(limit);
    this.idle = new MemoryBudget(limit / 2);
    this.shared = new Quota(limit, Math.min(limit / 2, LEAST_BYTES));
    this.pools = join("slots");
  }

  /** Returns the bytes that are registered now. */
  public long registered() {
    return all.reserved();
  }

  /** Adds a link, which has its part from now on. */
  Quota.Share join(String peer) {
    return shared.join(
        new Quota.Holder() {
          @Override
          public String peer() {
            return peer;
          }

          @Override
          public void wanted() {} // what is idle is nobody's, and goes when a loop calls for room
        });
  }

  /** Returns what the slots of all links have. */
  Quota.Share pools() {
    return pools;
  }

  long limit() {
    return all.limit();
  }

  private long room() {
    return Math.min(all.limit(), systemTakes) - all.reserved();
  }

  /** Returns those who wait until something is deregistered. */
  Waiters waiters() {
    return waiters;
  }

  /** Takes so many bytes that are to be registered; false if there are not so many. */
  boolean reserve(long bytes) {
    return all.reserve(bytes);
  }

  /** So many bytes are registered no more. */
  void release(long bytes) {
    all.release(bytes);
    waiters.freed();
  }

  /** So many bytes were not registered after all, since the system takes no more. */
  void refusedBySystem(long bytes) {
    all.release(bytes);
    systemTakes = all.reserved();
  }

  /** The system has taken what was reserved. */
  void taken() {
    if (systemTakes < all.reserved()) {
      systemTakes = Long.MAX_VALUE;
    }
  }

  /**
   * The system may take more than it did, since other programs may have given something back, who
   * tell nobody.
   */
  void systemMayTakeMore() {
    if (systemTakes < Long.MAX_VALUE) {
      systemTakes = Long.MAX_VALUE;
      waiters.freed();
    }
  }

  MemoryBudget idle() {
    return idle;
  }

  /** Has a loop woken when others call for room. */
  public void join(Runnable wakeLoop) {
    loops.add(wakeLoop);
  }

  /** A loop has ended. */
  public void leave(Runnable wakeLoop) {
    loops.remove(wakeLoop);
  }

  /** A loop has no room and nothing idle of its own: the others are to give up what is idle. */
  void callForRoom() {
    calls.incrementAndGet();
    loops.forEach(Runnable::run);
  }

  /** Returns how often loops have called; one that finds it changed gives up what is idle. */
  long calls() {
    return calls.get();
  }
}
