package io.verbena.rdma.link;

import io.verbena.core.memory.Slot;
import io.verbena.rdma.RdmaCounters;
import io.verbena.rdma.device.Exposure;
import io.verbena.rdma.device.QueuePair;
import io.verbena.rdma.device.RegisteredPool;
import io.verbena.rdma.wire.BulkNote;
import io.verbena.rdma.wire.SendHeader;
import io.verbena.rdma.wire.Terms;
import io.verbena.verbs.ext.Access;
import io.verbena.verbs.ext.MemoryWindow;
import io.verbena.verbs.ext.SendBlock;
import io.verbena.verbs.ext.SendFlags;
import io.verbena.verbs.ext.SendOpcode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * The sending half of a link. Frames are packed into an open slot, which is posted when it is full
 * or flushed. A slot is opened only with a credit in hand, so that whatever was taken can be
 * posted.
 *
 * <pre>
 *   frame ─→ open slot ─post─→ in the send queue ─completion─→ slot back to its pool
 *              (credit)            inline: the slot goes back at once
 * </pre>
 *
 * <p>A Send that borrows its slot is signalled, since its completion brings the slot back; an
 * inline one only every so often, so that its place in the send queue comes back.
 *
 * <p>Orders about landings (bind, invalidate, revoke) must not get lost: one that finds no room
 * waits, and everything else behind it.
 */
final class SendSide {
  /** Places in the send queue that others leave free: for control messages and the open Send. */
  private static final int RESERVED = SendHeader.CONTROL_CREDITS + 1;

  /** WRITEs in the send queue at a time, however short; more only if they are tiny. */
  private static final int MOST_WRITES = 48;

  /** Places for orders about landings, most of which share the queue with WRITEs. */
  private static final int ORDERS = 16;

  private final RegisteredPool pool;
  private final SendQueue queue;
  private final CreditLedger credits;
  private final ReceiveSide receives;
  private final RdmaCounters counters;
  private final int signalInterval;
  private final ArrayDeque<Order> orders = new ArrayDeque<>();
  private int unsignalled;
  private int writes;

  private boolean probing;

  /** One slot stays with the link, so that an exhausted pool slows it down but never stops it. */
  private int spare = RegisteredPool.NONE;

  private int open = RegisteredPool.NONE;
  private int openLength;
  private int mostBytes;

  /** Something that must be posted. */
  private interface Order {
    /** Returns false where there is no room or no credit. */
    boolean post() throws IOException;
  }

  SendSide(
      RegisteredPool pool,
      QueuePair queuePair,
      SendBlock block,
      CreditLedger credits,
      ReceiveSide receives,
      int depth,
      RdmaCounters counters) {
    this.pool = pool;
    this.queue = new SendQueue(queuePair, block, depth);
    this.credits = credits;
    this.receives = receives;
    this.counters = counters;
    this.signalInterval = (depth - MOST_WRITES - ORDERS) / 4;
  }

  /** Returns a depth of the send queue that lets a peer's credits be used to the full. */
  static int depth(int credits) {
    return Math.max(64, credits + 2 * RESERVED) + MOST_WRITES + ORDERS;
  }

  /** The peer has said what it has posted; nothing is sent before. */
  void peerTerms(Terms terms) throws IOException {
    credits.peerTerms(terms);
    mostBytes = Math.min(pool.slotBytes(), terms.slotBytes());
    spare = pool.claim();
    if (spare == RegisteredPool.NONE) {
      throw pool.shortage("to send from");
    }
  }

  SendQueue queue() {
    return queue;
  }

  /** Returns the longest frame that fits a Send. */
  int maxFrameBytes() {
    return mostBytes - SendHeader.BYTES - SendHeader.LENGTH_BYTES;
  }

  // ---- frames ----

  /** Takes a frame, or returns false where there is no room or credit. */
  boolean accept(Slot frame) throws IOException {
    if (!stepOrders()) {
      return false; // the frame may tell of what is not bound yet
    }
    int bytes = SendHeader.LENGTH_BYTES + frame.length();
    if (open != RegisteredPool.NONE && openLength + bytes > mostBytes) {
      flush();
    }
    if (open == RegisteredPool.NONE && !begin()) {
      return false;
    }
    ByteBuffer to = pool.buffer(open);
    int at = pool.offset(open) + openLength;
    to.putInt(at, frame.length());
    to.put(at + SendHeader.LENGTH_BYTES, frame.buffer(), 0, frame.length());
    openLength += bytes;
    return true;
  }

  /** Returns whether a frame could be taken now. */
  boolean hasRoom() {
    return orders.isEmpty() && credits.canSend() && hasPlace();
  }

  private boolean hasPlace() {
    return queue.free() > RESERVED;
  }

  private boolean begin() throws IOException {
    if (!hasRoom()) {
      return false;
    }
    open = takeSlot();
    if (open == RegisteredPool.NONE) {
      return false;
    }
    credits.spend();
    openLength = SendHeader.BYTES;
    return true;
  }

  private int takeSlot() throws IOException {
    int slot = spare;
    spare = RegisteredPool.NONE;
    return slot != RegisteredPool.NONE ? slot : pool.claim();
  }

  private void giveBack(int slot) {
    if (spare == RegisteredPool.NONE) {
      spare = slot;
    } else {
      pool.release(slot);
    }
  }

  /** Posts what is open. */
  void flush() throws IOException {
    if (open != RegisteredPool.NONE) {
      int slot = open;
      open = RegisteredPool.NONE;
      receives.beforeSend();
      post(slot, openLength, SendHeader.FRAMES);
    }
  }

  // ---- control messages ----

  /** Returns credit by itself where much is owed. */
  boolean returnCredit() throws IOException {
    if (credits.owesLittle() || !credits.canReturnCredit() || !sendControl(SendHeader.CREDIT)) {
      return false;
    }
    counters.creditMessage();
    return true;
  }

  /** Says that nothing more comes; its completion says that the peer's device has everything. */
  boolean sayFarewell() throws IOException {
    return credits.canSayFarewell() && sendControl(SendHeader.FAREWELL);
  }

  private boolean sendControl(byte kind) throws IOException {
    if (queue.free() < 2) {
      return false;
    }
    int slot = takeSlot();
    if (slot == RegisteredPool.NONE) {
      return false;
    }
    credits.spendControl();
    post(slot, SendHeader.BYTES, kind);
    return true;
  }

  private void post(int slot, int length, byte kind) throws IOException {
    SendHeader.write(
        pool.buffer(slot),
        pool.offset(slot),
        credits.asksForMore() ? (byte) (kind | SendHeader.WANTS_MORE) : kind,
        credits.takeOwedControl(),
        credits.takeOwed());
    boolean inline = length <= queue.maxInline();
    boolean signalled = !inline || kind == SendHeader.FAREWELL || ++unsignalled == signalInterval;
    unsignalled = signalled ? 0 : unsignalled;
    int flags = (inline ? SendFlags.INLINE : 0) | (signalled ? SendFlags.SIGNALED : 0);
    queue.begin(SendOpcode.SEND, flags).sge(0, pool.address(slot), length, pool.lkey(slot));
    queue.post(inline ? RegisteredPool.NONE : slot, SendQueue.NOTHING);
    if (inline) {
      giveBack(slot);
    }
  }

  // ---- bulk ----

  /** Returns whether a WRITE that tells of itself could be posted now. */
  boolean hasRoomForWrite() {
    return orders.isEmpty()
        && writes < MOST_WRITES
        && queue.free() > RESERVED + 1
        && credits.canSendBulk();
  }

  /** Posts a WRITE without immediate. There must be room. */
  void write(RemoteLanding to, long at, long from, int lkey, int length, Runnable whenWritten)
      throws IOException {
    post(
        queue.begin(SendOpcode.RDMA_WRITE, SendFlags.SIGNALED),
        to,
        at,
        from,
        lkey,
        length,
        whenWritten);
  }

  /** Posts a WRITE with immediate. There must be room. */
  void writeWithImmediate(
      RemoteLanding to,
      long at,
      long from,
      int lkey,
      int length,
      int immediate,
      Runnable whenWritten)
      throws IOException {
    credits.spend();
    post(
        queue.begin(SendOpcode.RDMA_WRITE_WITH_IMM, SendFlags.SIGNALED).immediate(0, immediate),
        to,
        at,
        from,
        lkey,
        length,
        whenWritten);
  }

  private void post(
      SendBlock block,
      RemoteLanding to,
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

  /** Sends a note about a landing; false where there is no room or credit. */
  boolean note(byte kind, int landing, long arrived) throws IOException {
    if (!credits.canSend() || !hasPlace()) {
      return false;
    }
    int slot = takeSlot();
    if (slot == RegisteredPool.NONE) {
      return false;
    }
    credits.spend();
    BulkNote.write(pool.buffer(slot), pool.offset(slot), landing, arrived);
    post(slot, BulkNote.length(kind), kind);
    return true;
  }

  /** Sends a note once there is room and credit, before anything else. */
  void order(byte kind, int landing) throws IOException {
    order(() -> note(kind, landing, 0));
  }

  /** Says that so much has landed, before anything else is sent. */
  void orderArrived(int landing, long arrived) throws IOException {
    order(() -> note(SendHeader.ARRIVED, landing, arrived));
  }

  /** Opens a range to the peer, before anything that is sent from now on. */
  void bind(Exposure exposure, MemoryWindow window) throws IOException {
    order(
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
    order(
        () -> {
          if (!hasPlace()) {
            return false;
          }
          queue.begin(SendOpcode.LOCAL_INV, SendFlags.SIGNALED).invalidate(0, rkey);
          queue.post(RegisteredPool.NONE, whenDone);
          return true;
        });
  }

  private void order(Order order) throws IOException {
    if (!stepOrders() || !order.post()) {
      orders.add(order);
    }
  }

  /** Returns how many orders wait for room or credit. */
  int waitingOrders() {
    return orders.size();
  }

  /** Posts orders that wait; returns whether none is left. */
  boolean stepOrders() throws IOException {
    while (!orders.isEmpty()) {
      if (!orders.element().post()) {
        return false;
      }
      orders.remove();
    }
    return true;
  }

  // ---- idle links ----

  /** Asks the peer's device for a sign of life: a WRITE of nothing costs neither key nor credit. */
  void probe() throws IOException {
    if (!probing && hasPlace()) {
      probing = true;
      queue.begin(SendOpcode.RDMA_WRITE, SendFlags.SIGNALED).remote(0, 0, 0);
      queue.post(RegisteredPool.NONE, () -> probing = false);
    }
  }

  /** Gives back what is beyond the guarantee. */
  void giveLeaseBack() throws IOException {
    int leased = credits.leased();
    if (orders.isEmpty() && leased > 0) {
      credits.giveBack(leased);
      order(SendHeader.GIVE_BACK, leased);
    }
  }

  // ---- completions and the end ----

  /** A request and all before it have completed: their slots come back. */
  void completed(int place) {
    queue.completed(place, this::giveBack);
  }

  /** The queue pair is drained or destroyed: gives every slot back. */
  void release() {
    queue.release(this::release);
    release(open);
    release(spare);
    open = RegisteredPool.NONE;
    spare = RegisteredPool.NONE;
    orders.clear();
  }

  private void release(int slot) {
    if (slot != RegisteredPool.NONE) {
      pool.release(slot);
    }
  }
}
