package io.verbena.rdma.link;

import io.verbena.rdma.RdmaCounters;
import io.verbena.rdma.device.Exposure;
import io.verbena.rdma.device.RegisteredPool;
import io.verbena.verbs.ext.Access;
import io.verbena.verbs.ext.MemoryWindow;
import io.verbena.verbs.ext.SendBlock;
import io.verbena.verbs.ext.SendFlags;
import io.verbena.verbs.ext.SendOpcode;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * What bulk posts besides Sends: WRITEs, which carry immediates at times, and what opens and closes
 * ranges of this end's memory to the peer. On the loop.
 */
final class BulkSends {
  /** WRITEs in the send queue at a time, however short; more only if they are tiny. */
  private static final int MOST_WRITES = 48;

  /** Places for orders about targets, most of which share the queue with WRITEs. */
  private static final int ORDERS = 16;

  /** Places in the send queue that bulk takes. */
  static final int PLACES = MOST_WRITES + ORDERS;

  private final SendQueue queue;
  private final Orders orders;
  private final CreditLedger credits;
  private final RdmaCounters counters;
  private int writes;

  BulkSends(SendQueue queue, Orders orders, CreditLedger credits, RdmaCounters counters) {
    this.queue = queue;
    this.orders = orders;
    this.credits = credits;
    this.counters = counters;
  }

  /** Returns whether a WRITE that tells of itself could be posted now. */
  boolean hasRoom() {
    return orders.isEmpty()
        && writes < MOST_WRITES
        && queue.free() > SendSide.RESERVED + 1
        && credits.canSendBulk();
  }

  /** Returns whether the peer must be told what only a Send can say. */
  boolean needSend() {
    return credits.hasToSay();
  }

  /** Posts a WRITE without immediate. There must be room. */
  void write(PeerTarget to, long at, long from, int lkey, int length, Runnable whenWritten)
      throws IOException {
    SendBlock block = queue.begin(SendOpcode.RDMA_WRITE, SendFlags.SIGNALED);
    post(block, to, at, from, lkey, length, whenWritten);
  }

  /** Posts a WRITE with immediate. There must be room. */
  void writeWithImmediate(
      PeerTarget to, long at, long from, int lkey, int length, int immediate, Runnable whenWritten)
      throws IOException {
    credits.spend();
    SendBlock block = queue.begin(SendOpcode.RDMA_WRITE_WITH_IMM, SendFlags.SIGNALED);
    post(block.immediate(0, immediate), to, at, from, lkey, length, whenWritten);
  }

  private void post(
      SendBlock block,
      PeerTarget to,
      long at,
      long from,
      int lkey,
      int length,
      Runnable whenWritten)
      throws IOException {
    block.sge(0, from, length, lkey).remote(0, to.address() + at, to.rkey());
    writes++;
    counters.bulkBytes(length);
    queue.post(
        RegisteredPool.NONE,
        () -> {
          writes--;
          whenWritten.run();
        });
  }

  /** Opens a range to the peer, before anything that is sent from now on. */
  void bind(Exposure exposure, MemoryWindow window) throws IOException {
    orders.give(
        () -> {
          if (!hasPlace()) {
            return false;
          }
          queue
              .begin(SendOpcode.BIND_MW, SendFlags.SIGNALED)
              .bind(
                  0,
                  window,
                  exposure.registration().region(),
                  exposure.address(),
                  exposure.length(),
                  Access.REMOTE_WRITE);
          queue.post(RegisteredPool.NONE, SendQueue.NOTHING);
          return true;
        });
  }

  /** Closes a range to the peer. */
  void invalidate(int rkey, Runnable whenDone) throws IOException {
    orders.give(
        () -> {
          if (!hasPlace()) {
            return false;
          }
          queue.begin(SendOpcode.LOCAL_INV, SendFlags.SIGNALED).invalidate(0, rkey);
          queue.post(RegisteredPool.NONE, whenDone);
          return true;
        });
  }

  /** Posts orders that wait; returns whether none is left. */
  boolean stepOrders() throws IOException {
    return orders.step();
  }

  /** Returns how many orders wait for room or credit. */
  int waitingOrders() {
    return orders.size();
  }

  /** Returns what is due, once, since a request has completed; null when there is nothing. */
  @Nullable Runnable nextDue() {
    return queue.nextDue();
  }

  private boolean hasPlace() {
    return queue.free() > SendSide.RESERVED;
  }
}
