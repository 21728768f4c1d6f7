package io.verbena.rdma.device;

import io.verbena.core.memory.MemoryBudget;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How many bytes a provider's loops may have registered together, and how many of these may be
 * idle: half, so that pools can grow. Safe for use by any thread.
 */
public final class PinningBudget {
  private final MemoryBudget all;
  private final MemoryBudget idle;
  private final AtomicLong calls = new AtomicLong();

  /** A budget of so many bytes, of which none are registered. */
  public PinningBudget(long limit) {
    this.all = new MemoryBudget(limit);
    this.idle = new MemoryBudget(limit / 2);
  }

  /** Returns the bytes that are registered now. */
  public long registered() {
    return all.reserved();
  }

  long limit() {
    return all.limit();
  }

  MemoryBudget all() {
    return all;
  }

  MemoryBudget idle() {
    return idle;
  }

  /** A loop has no room and nothing idle of its own: the others should give up what is idle. */
  void callForRoom() {
    calls.incrementAndGet();
  }

  /** Returns how often loops have called; one that finds it changed gives up what is idle. */
  long calls() {
    return calls.get();
  }
}
