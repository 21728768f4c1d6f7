package io.verbena.rdma.link;

import io.verbena.core.memory.Slot;
import io.verbena.rdma.RdmaCounters;
import io.verbena.rdma.device.Domain;
import io.verbena.rdma.device.RegisteredPool;
import io.verbena.rdma.wire.BulkNote;
import io.verbena.rdma.wire.SendHeader;
import io.verbena.rdma.wire.Terms;
import io.verbena.verbs.ext.SendFlags;
import io.verbena.verbs.ext.SendOpcode;
import java.io.IOException;

/**
 * The Sends of a link. Frames are packed into an open slot, which is posted when it is full or
 * flushed. A slot is opened only with a credit in hand, so that whatever was taken can be posted.
 *
 * <pre>
 *   frame ─→ open slot ─post─→ in the send queue ─completion─→ slot back to its pool
 *              (credit)            inline: the slot goes back at once
 * </pre>
 *
 * <p>A Send that borrows its slot is signalled, since its completion brings the slot back; an
 * inline one only every so often, so that its place in the send queue comes back.
 */
final class SendSide {
  /** Places in the send queue that others leave free: for control messages and the open Send. */
  static final int RESERVED = SendHeader.CONTROL_CREDITS + 1;

  private final SendSlots slots;
  private final FramePacker packer;
  private final SendQueue queue;
  private final Orders orders;
  private final CreditLedger credits;
  private final ReceiveSide receives;
  private final RdmaCounters counters;
  private final int signalInterval;
  private int unsignalled;
  private boolean probing;

  /**
   * The Sends of a link that is not open yet.
   *
   * @param orders wait before any frame
   * @param places in the send queue that Sends may take; of a quarter of these, if they are inline,
   *     one is signalled
   */
  SendSide(
      Domain domain,
      SendQueue queue,
      Orders orders,
      CreditLedger credits,
      ReceiveSide receives,
      int places,
      RdmaCounters counters) {
    this.slots = new SendSlots(domain.sendPool());
    this.packer = new FramePacker(slots);
    this.queue = queue;
    this.orders = orders;
    this.credits = credits;
    this.receives = receives;
    this.counters = counters;
    this.signalInterval = places / 4;
  }

  /** Returns how many places in the send queue let a peer's credits be used to the full. */
  static int places(int credits) {
    return Math.max(64, credits + 2 * RESERVED);
  }

  /** The peer has said what it has posted; nothing is sent before. */
  void peerTerms(Terms terms) throws IOException {
    credits.peerTerms(terms);
    packer.peerTakes(terms.slotBytes());
    slots.open();
  }

  /** Returns the longest frame that fits a Send. */
  int maxFrameBytes() {
    return packer.maxFrameBytes();
  }

  // ---- frames ----

  /** Takes a frame, or returns false where there is no room or credit. */
  boolean accept(Slot frame) throws IOException {
    if (!orders.step()) {
      return false; // the frame may tell of what is not bound yet
    }
    if (packer.isOpen() && !packer.fits(frame)) {
      flush();
    }
    if (!packer.isOpen() && !begin()) {
      return false;
    }
    packer.put(frame);
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
    if (!hasRoom() || !packer.open()) {
      return false;
    }
    credits.spend();
    return true;
  }

  /** Posts what is open. */
  void flush() throws IOException {
    if (packer.isOpen()) {
      int slot = packer.take();
      receives.beforeSend();
      post(slot, packer.length(), SendHeader.FRAMES);
    }
  }

  // ---- control messages and notes ----

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
    int slot = slots.claim();
    if (slot == RegisteredPool.NONE) {
      return false;
    }
    credits.spendControl();
    post(slot, SendHeader.BYTES, kind);
    return true;
  }

  /** Sends a note about a target once there is room and credit, before anything else. */
  void order(byte kind, int target) throws IOException {
    orders.give(() -> note(kind, target, 0));
  }

  /** Says that so much has landed, before anything else is sent. */
  void orderArrived(int target, long arrived) throws IOException {
    orders.give(() -> note(SendHeader.ARRIVED, target, arrived));
  }

  /** Sends a note; false where there is no room or credit. */
  private boolean note(byte kind, int target, long arrived) throws IOException {
    if (!credits.canSend() || !hasPlace()) {
      return false;
    }
    int slot = slots.claim();
    if (slot == RegisteredPool.NONE) {
      return false;
    }
    credits.spend();
    BulkNote.write(slots.pool().buffer(slot), slots.pool().offset(slot), target, arrived);
    post(slot, BulkNote.length(kind), kind);
    return true;
  }

  private void post(int slot, int length, byte kind) throws IOException {
    RegisteredPool pool = slots.pool();
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
      slots.giveBack(slot);
    }
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

  /** Gives credit back that is beyond the guarantee. */
  void giveLeaseBack() throws IOException {
    int leased = credits.leased();
    if (orders.isEmpty() && leased > 0) {
      credits.giveBack(leased);
      order(SendHeader.GIVE_BACK, leased);
    }
  }

  // ---- completions and the end ----

  /**
   * A request and all before it have completed: their slots come back. Returns whether none was
   * posted since.
   */
  boolean completed(int place) {
    queue.completed(place, slots::giveBack);
    return queue.isLatest(place);
  }

  /** Returns how many requests were posted so far. */
  long posted() {
    return queue.posted();
  }

  /** The queue pair is drained or destroyed: gives every slot back. */
  void release() {
    queue.release(slots::release);
    packer.release();
    slots.release();
    orders.clear();
  }
}
