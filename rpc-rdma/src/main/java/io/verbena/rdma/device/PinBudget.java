package io.verbena.rdma.device;

import io.verbena.link.BulkPort;
import io.verbena.link.memory.MemoryBudget;
import io.verbena.link.memory.Quota;
import io.verbena.link.memory.Waiters;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes that all loops of a provider may register together. Half of them may be idle, so that
 * pools can grow. Memory in use for a link's objects counts in that link's part of a {@link Quota}.
 * Slots count there, too, and are never refused by it. Links that found no room wait here for any
 * loop to free some. Safe for use by any thread.
 */
public final class PinBudget {
  /** Each link, however many there are, may register a piece of the shortest length. */
  private static final long LEAST_BYTES = BulkPort.LEAST_PIECE_BYTES;

  private final MemoryBudget all;
  private final MemoryBudget idle;
  private final Quota shared;
  private final Quota.Share pools;
  private final AtomicLong calls = new AtomicLong();
  private final Waiters waiters = new Waiters(this::room);
  private final Set<Runnable> loops = ConcurrentHashMap.newKeySet();

  /** The registered bytes at which the system refused more. By now it may take more. */
  private volatile long systemTakes = Long.MAX_VALUE;

  /** Makes a budget with nothing registered. */
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

          // Idle memory belongs to no link, and goes when a loop calls for room.
          @Override
          public void wanted() {}
        });
  }

  /** Returns the part of all links' slots. */
  Quota.Share pools() {
    return pools;
  }

  long limit() {
    return all.limit();
  }

  private long room() {
    return Math.min(all.limit(), systemTakes) - all.reserved();
  }

  /** Returns the queue of those that wait for a deregistration. */
  Waiters waiters() {
    return waiters;
  }

  /** Reserves bytes for a registration; false if there are not enough. */
  boolean reserve(long bytes) {
    return all.reserve(bytes);
  }

  /** Returns bytes that are not registered any more. */
  void release(long bytes) {
    all.release(bytes);
    waiters.freed();
  }

  /** Returns reserved bytes that the system refused to register. */
  void refusedBySystem(long bytes) {
    all.release(bytes);
    systemTakes = all.reserved();
  }

  /** The system has registered reserved bytes. */
  void taken() {
    if (systemTakes < all.reserved()) {
      systemTakes = Long.MAX_VALUE;
    }
  }

  /** Asks the system again: other programs may have freed memory, which they do not announce. */
  void systemMayTakeMore() {
    if (systemTakes < Long.MAX_VALUE) {
      systemTakes = Long.MAX_VALUE;
      waiters.freed();
    }
  }

  MemoryBudget idle() {
    return idle;
  }

  /** Adds a loop, which is woken when another one calls for room. */
  public void join(Runnable wakeLoop) {
    loops.add(wakeLoop);
  }

  /** Removes a loop that has ended. */
  public void leave(Runnable wakeLoop) {
    loops.remove(wakeLoop);
  }

  /** Asks the other loops to give up idle memory, because this one has none and found no room. */
  void callForRoom() {
    calls.incrementAndGet();
    loops.forEach(Runnable::run);
  }

  /**
   * Returns the number of calls so far. A loop that finds a new number gives up its idle memory.
   */
  long calls() {
    return calls.get();
  }
}
