package io.verbena.rdma.link;

import io.verbena.link.memory.Slot;
import io.verbena.rdma.RdmaCounters;
import io.verbena.rdma.device.Domain;
import io.verbena.rdma.device.Lessons;
import io.verbena.rdma.device.QueuePair;
import io.verbena.rdma.device.Receives;
import io.verbena.rdma.device.RegisteredPool;
import io.verbena.rdma.wire.BulkNote;
import io.verbena.rdma.wire.SendHeader;
import io.verbena.rdma.wire.Terms;
import io.verbena.rdma.wire.WorkId;
import io.verbena.verbs.ext.MemoryWindow;
import io.verbena.verbs.ext.SendBlock;
import io.verbena.verbs.ext.SendFlags;
import io.verbena.verbs.ext.SendOpcode;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsQp;
import io.verbena.verbs.ext.WcStatus;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The send queue of a link, and everything that is posted there: Sends, WRITEs, and requests that
 * open and close ranges of memory. Frames are packed into an open slot, which is posted when it is
 * full or flushed. A slot is opened only with a credit in hand, so that accepted frames can always
 * be posted.
 *
 * <pre>
 *   frame ─→ open slot ─post─→ in the send queue ─completion─→ slot back to its pool
 *              (credit)            inline: the slot goes back at once
 * </pre>
 *
 * <p>A Send that borrows its slot is signalled, because its completion returns the slot. An inline
 * Send is signalled only from time to time, to return its place in the send queue. Places are taken
 * and returned in order: a completion stands for all requests before it. Each place has the slot
 * that its request borrows, and the action for its completion.
 *
 * <p>Orders about targets (bind, invalidate, revoke) must not get lost. An order that finds no room
 * or credit waits, and everything else waits behind it. On the loop.
 */
final class SendSide {
  /** Places that are reserved for control messages and the open Send. */
  private static final int RESERVED = SendHeader.CONTROL_CREDITS + 1;

  /** The limit of WRITEs in the send queue, however short; more only if they are tiny. */
  private static final int MOST_WRITES = 48;

  /** Places for orders about targets, most of which share the queue with WRITEs. */
  private static final int ORDERS = 16;

  /** The bytes of a Send before its first frame. */
  private static final int BEFORE_FRAME = SendHeader.BYTES + SendHeader.LENGTH_BYTES;

  /** Does nothing. */
  static final Runnable NOTHING = () -> {};

  private final QueuePair queuePair;
  private final VerbsQp queue;
  private final Lessons lessons;

  /** The upper half of the WorkIds of its requests. */
  private final long link;

  private final SendBlock block;

  /** The request of an inline Send, which changes little from one to the next. */
  private final SendBlock inline = new SendBlock(Arena.ofAuto(), 1, 1);

  private final RegisteredPool pool;
  private final Receives receives;
  private final CreditLedger credits;
  private final RdmaCounters counters;
  private final int maxInline;
  private final int signalInterval;

  // The places of the send queue.
  private final int[] borrowed;
  private final Runnable[] actions;
  private final ArrayDeque<Runnable> due = new ArrayDeque<>();
  private long posted;
  private int inQueue;

  /** The place of the next request. */
  private int next;

  /** The place of the oldest request, if there is one. */
  private int oldest;

  private final ArrayDeque<Order> orders = new ArrayDeque<>();

  /** Reserved for the link, so that an exhausted pool slows it down but never stops it. */
  private int spare = RegisteredPool.NONE;

  // The open slot.
  private int open = RegisteredPool.NONE;
  private ByteBuffer openBuffer = ByteBuffer.allocate(0);
  private int openAt;
  private int openLength;

  /** A frame that is sent from its own memory, unless others join it; null if there is none. */
  private @Nullable Slot lone;

  /** The length limit of Sends at both ends. */
  private int mostBytes;

  private int unsignalled;
  private int writes;
  private boolean probing;

  /** Whether a Send is on its way that shows whether the device sends inline. */
  private boolean tryingInline;

  /** Whether a window was bound since the last Send, which must not overtake that. */
  private boolean bound;

  /** The requests that are known to have completed. */
  private long done;

  /** A request about a target that must be posted. */
  private interface Order {
    /** Returns false if there is no room or no credit. */
    boolean post() throws IOException;
  }

  /**
   * Makes the send queue of a link that is not open yet.
   *
   * @param block for one request; requests are written there before they are posted
   * @param peersCredits the most credits that the peer may give; determines the queue's depth
   */
  SendSide(
      QueuePair queuePair,
      SendBlock block,
      RegisteredPool pool,
      Receives receives,
      CreditLedger credits,
      int peersCredits,
      RdmaCounters counters) {
    this.queuePair = queuePair;
    this.queue = queuePair.verbs();
    this.lessons = queuePair.lessons();
    this.link = queuePair.link();
    this.block = block;
    this.pool = pool;
    this.receives = receives;
    this.credits = credits;
    this.counters = counters;
    this.maxInline = queuePair.maxInline();
    this.signalInterval = places(peersCredits) / 4;
    this.borrowed = new int[depth(peersCredits)];
    this.actions = new Runnable[borrowed.length];
    Arrays.fill(borrowed, RegisteredPool.NONE);
    Arrays.fill(actions, NOTHING);
    inline.request(0, 0, SendOpcode.SEND, 0).sge(0, 0, 0, 0);
  }

  /** Returns the depth of a queue that can use all of a peer's credits. */
  static int depth(int credits) {
    return places(credits) + MOST_WRITES + ORDERS;
  }

  private static int places(int credits) {
    return Math.max(64, credits + 2 * RESERVED);
  }

  /** Takes the peer's terms; nothing is sent before. */
  void peerTerms(Terms terms) throws IOException {
    credits.peerTerms(terms);
    mostBytes = Math.min(pool.slotBytes(), terms.slotBytes());
    spare = pool.claim();
    if (spare == RegisteredPool.NONE) {
      throw pool.shortage("to send from");
    }
  }

  /** Returns the length limit of a frame in a Send. */
  int maxFrameBytes() {
    return mostBytes - SendHeader.BYTES - SendHeader.LENGTH_BYTES;
  }

  // ---- frames ----

  /** Accepts a frame; returns false if there is no room or credit. */
  boolean accept(Slot frame) throws IOException {
    if (!stepOrders()) {
      return false; // the frame may name a target that is not bound yet
    }
    if (open == RegisteredPool.NONE && lone == null && mayGoAlone(frame)) {
      if (!hasRoom()) {
        return false;
      }
      frame.hold();
      lone = frame;
      credits.spend();
      return true;
    }
    if (lone != null) {
      accompany(lone);
    }
    if (open != RegisteredPool.NONE && openLength + bytes(frame) > mostBytes) {
      flush();
    }
    if (open == RegisteredPool.NONE) {
      if (!hasRoom() || !begin()) {
        return false;
      }
      credits.spend();
    }
    append(frame);
    return true;
  }

  private static int bytes(Slot frame) {
    return SendHeader.LENGTH_BYTES + frame.length();
  }

  /**
   * Returns whether the device copies the frame while it is posted, with room before it for a
   * header.
   */
  private boolean mayGoAlone(Slot frame) {
    int bytes = BEFORE_FRAME + frame.length();
    return bytes <= maxInline
        && bytes <= mostBytes
        && frame.led() != null
        && lessons.trustsInline();
  }

  /** Copies the lone frame into a slot, because another frame joins it. */
  private void accompany(Slot frame) throws IOException {
    if (begin()) {
      lone = null;
      append(frame);
      frame.release();
    } else {
      flush();
    }
  }

  private void append(Slot frame) {
    int at = openAt + openLength;
    openBuffer.putInt(at, frame.length());
    openBuffer.put(at + SendHeader.LENGTH_BYTES, frame.buffer(), 0, frame.length());
    openLength += bytes(frame);
  }

  /** Returns whether a frame could be accepted now. */
  boolean hasRoom() {
    return orders.isEmpty() && credits.canSend() && hasPlace();
  }

  private boolean begin() throws IOException {
    open = claim();
    if (open == RegisteredPool.NONE) {
      return false;
    }
    openBuffer = pool.buffer(open);
    openAt = pool.offset(open);
    openLength = SendHeader.BYTES;
    return true;
  }

  /** Posts the open slot or frame, together with owed credit. */
  void flush() throws IOException {
    Slot alone = lone;
    int slot = open;
    if (alone == null && slot == RegisteredPool.NONE) {
      return;
    }
    lone = null;
    open = RegisteredPool.NONE;
    if (credits.isWorthPostingBeforeSend()) {
      receives.flush(true);
      credits.posted();
    }
    credits.framesGo();
    if (alone == null) {
      post(slot, openLength, SendHeader.FRAMES);
    } else {
      try {
        post(alone);
      } finally {
        alone.release();
      }
    }
  }

  private void post(Slot frame) throws IOException {
    ByteBuffer led = Objects.requireNonNull(frame.led());
    int length = frame.length();
    led.putInt(Slot.LEAD - SendHeader.LENGTH_BYTES, length);
    writeHeader(led, Slot.LEAD - BEFORE_FRAME, SendHeader.FRAMES);
    postInline(frame.address() - BEFORE_FRAME, BEFORE_FRAME + length, false);
  }

  private void writeHeader(ByteBuffer out, int at, byte kind) {
    SendHeader.write(
        out,
        at,
        credits.asksForMore() ? (byte) (kind | SendHeader.WANTS_MORE) : kind,
        credits.takeOwedControl(),
        credits.takeOwed());
  }

  private void postInline(long address, int length, boolean asked) throws IOException {
    boolean signalled = asked || ++unsignalled == signalInterval;
    unsignalled = signalled ? 0 : unsignalled;
    int flags = signalled ? SendFlags.INLINE | SendFlags.SIGNALED : SendFlags.INLINE;
    long name = WorkId.of(link, WorkId.SEND, next);
    post(inline.again(0, name, flags | fence(), address, length), RegisteredPool.NONE, NOTHING);
  }

  /**
   * Returns the flag of a Send after a bind, which may tell the peer the window's key. Binds are
   * carried out in order (InfiniBand specification, 10.8.3.3), which not every device was seen to
   * do.
   */
  private int fence() {
    int flag = bound ? SendFlags.FENCE : 0;
    bound = false;
    return flag;
  }

  /** Posts a Send inline, from memory that stays as it is, with a key that is none. */
  private void tryInline(int slot, int length) throws IOException {
    tryingInline = true;
    unsignalled = 0;
    long name = WorkId.of(link, WorkId.SEND, next);
    int flags = SendFlags.INLINE | SendFlags.SIGNALED | fence();
    post(
        inline.again(0, name, flags, pool.address(slot), length),
        slot,
        () -> {
          tryingInline = false;
          lessons.inlineWorks();
        });
  }

  // ---- control messages and notes ----

  /** Returns credit by a message of its own, if much is owed. */
  boolean returnCredit() throws IOException {
    if (credits.owesLittle() || !credits.canReturnCredit() || !sendControl(SendHeader.CREDIT)) {
      return false;
    }
    counters.creditMessages.increment();
    return true;
  }

  /** Sends a message without content, after which the peer may send. */
  void sayHello() throws IOException {
    if (!sendControl(SendHeader.CREDIT)) {
      throw new IOException("there is no room for the first message");
    }
  }

  /** Sends the farewell. Its completion shows that the peer's device has received everything. */
  boolean sendFarewell() throws IOException {
    return credits.canSayFarewell() && sendControl(SendHeader.FAREWELL);
  }

  private boolean sendControl(byte kind) throws IOException {
    if (free() < 2) {
      return false;
    }
    int slot = claim();
    if (slot == RegisteredPool.NONE) {
      return false;
    }
    credits.spendControl();
    post(slot, SendHeader.BYTES, kind);
    return true;
  }

  /** Sends a note about a target once there is room and credit, before anything else. */
  void note(byte kind, int target) throws IOException {
    order(() -> trySend(kind, target, 0));
  }

  /** Reports landed bytes to the peer, before anything else is sent. */
  void noteArrived(int target, long arrived) throws IOException {
    order(() -> trySend(SendHeader.ARRIVED, target, arrived));
  }

  private boolean trySend(byte kind, int target, long arrived) throws IOException {
    if (!credits.canSend() || !hasPlace()) {
      return false;
    }
    int slot = claim();
    if (slot == RegisteredPool.NONE) {
      return false;
    }
    credits.spend();
    BulkNote.write(pool.buffer(slot), pool.offset(slot), target, arrived);
    post(slot, BulkNote.length(kind), kind);
    return true;
  }

  private void post(int slot, int length, byte kind) throws IOException {
    writeHeader(pool.buffer(slot), pool.offset(slot), kind);
    if (length <= maxInline && lessons.trustsInline()) {
      postInline(pool.address(slot), length, kind == SendHeader.FAREWELL);
      giveBack(slot);
    } else if (length <= maxInline && lessons.triesInline()) {
      tryInline(slot, length);
    } else {
      unsignalled = 0;
      request(SendOpcode.SEND, SendFlags.SIGNALED | fence())
          .sge(0, pool.address(slot), length, pool.lkey(slot));
      post(block, slot, NOTHING);
    }
  }

  // ---- idle links ----

  /** Probes the peer's device: an empty WRITE needs neither key nor credit. */
  void probe() throws IOException {
    if (!probing && hasPlace() && lessons.sendsEmptyWrites()) {
      probing = true;
      request(SendOpcode.RDMA_WRITE, SendFlags.SIGNALED).remote(0, 0, 0);
      post(block, RegisteredPool.NONE, () -> probing = false);
    }
  }

  /** Returns credit beyond the guarantee. */
  void giveLeaseBack() throws IOException {
    int leased = credits.leased();
    if (orders.isEmpty() && leased > 0) {
      credits.giveBack(leased);
      note(SendHeader.GIVE_BACK, leased);
    }
  }

  // ---- bulk ----

  /** Returns whether a WRITE with immediate could be posted now. */
  boolean hasRoomForWrite() {
    return orders.isEmpty()
        && writes < MOST_WRITES
        && free() > RESERVED + 1
        && credits.canSendBulk();
  }

  /** Returns whether a Send must go, to ask the peer for credit. */
  boolean needSend() {
    return credits.hasToSay();
  }

  /** Returns whether a READ, or a WRITE without immediate, could be posted now. */
  boolean hasRoomForAccess() {
    return orders.isEmpty() && writes < MOST_WRITES && free() > RESERVED + 1;
  }

  /**
   * Posts a READ, or a WRITE that the peer is not notified of. There must be room.
   *
   * @param behind whether it begins only after earlier READs are done
   */
  void access(
      boolean reads,
      boolean behind,
      long there,
      int rkey,
      long here,
      int lkey,
      int length,
      Runnable whenDone)
      throws IOException {
    int opcode = reads ? SendOpcode.RDMA_READ : SendOpcode.RDMA_WRITE;
    request(opcode, SendFlags.SIGNALED | (behind ? SendFlags.FENCE : 0));
    postWrite(there, rkey, here, lkey, length, whenDone);
  }

  /** Posts a WRITE without immediate. There must be room. */
  void write(long to, int rkey, long from, int lkey, int length, Runnable whenWritten)
      throws IOException {
    request(SendOpcode.RDMA_WRITE, SendFlags.SIGNALED);
    postWrite(to, rkey, from, lkey, length, whenWritten);
  }

  /** Posts a WRITE with immediate. There must be room. */
  void writeWithImmediate(
      int immediate, long to, int rkey, long from, int lkey, int length, Runnable whenWritten)
      throws IOException {
    credits.spend();
    request(SendOpcode.RDMA_WRITE_WITH_IMM, SendFlags.SIGNALED).immediate(0, immediate);
    postWrite(to, rkey, from, lkey, length, whenWritten);
  }

  private void postWrite(long to, int rkey, long from, int lkey, int length, Runnable whenWritten)
      throws IOException {
    block.sge(0, from, length, lkey).remote(0, to, rkey);
    writes++;
    counters.bulkBytes.add(length);
    post(
        block,
        RegisteredPool.NONE,
        () -> {
          writes--;
          whenWritten.run();
        });
  }

  /** Opens a range to the peer, before anything that is sent from now on. */
  void bind(Domain.PeerAccess access, MemoryWindow window, Runnable whenDone) throws IOException {
    order(
        () -> {
          if (!hasPlace()) {
            return false;
          }
          request(SendOpcode.BIND_MW, SendFlags.SIGNALED)
              .bind(
                  0,
                  window,
                  Objects.requireNonNull(access.registration()).region(),
                  access.address(),
                  access.length(),
                  access.rights());
          postBind(whenDone);
          return true;
        });
  }

  private void postBind(Runnable whenDone) throws IOException {
    try {
      post(block, RegisteredPool.NONE, whenDone);
      bound = true;
    } catch (VerbsException e) {
      if (queuePair.isConnected()) {
        lessons.bindRefused(e);
      }
      throw e;
    }
  }

  /** Closes a range to the peer. */
  void invalidate(int rkey, Runnable whenDone) throws IOException {
    order(
        () -> {
          if (!hasPlace()) {
            return false;
          }
          request(SendOpcode.LOCAL_INV, SendFlags.SIGNALED).invalidate(0, rkey);
          post(block, RegisteredPool.NONE, whenDone);
          return true;
        });
  }

  // ---- orders ----

  private void order(Order order) throws IOException {
    if (!stepOrders() || !order.post()) {
      orders.add(order);
    }
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

  /** Returns the number of orders that wait for room or credit. */
  int waitingOrders() {
    return orders.size();
  }

  // ---- places of the send queue ----

  private int free() {
    return borrowed.length - inQueue;
  }

  private boolean hasPlace() {
    return free() > RESERVED;
  }

  /** Begins the next request, at index 0 of the block. */
  private SendBlock request(int opcode, int flags) {
    return block.request(0, WorkId.of(link, WorkId.SEND, next), opcode, flags);
  }

  /** Posts the request in the block; there must be a free place. */
  private void post(SendBlock begun, int slot, Runnable action) throws IOException {
    int place = next;
    next = after(place);
    borrowed[place] = slot;
    if (action != NOTHING) { // the initial value of every place
      actions[place] = action;
    }
    posted++;
    inQueue++;
    if (queue.postSend(begun, 0, 1) == 0) {
      throw new IOException("the send queue is full with " + inQueue + " requests");
    }
  }

  private int after(int place) {
    return place + 1 == borrowed.length ? 0 : place + 1;
  }

  /**
   * A request and all before it have completed: their slots are returned, and their actions are
   * due. Returns whether none was posted since.
   */
  boolean completed(int place) {
    int at;
    do {
      at = oldest;
      oldest = after(at);
      inQueue--;
      done++;
      if (borrowed[at] != RegisteredPool.NONE) {
        giveBack(borrowed[at]);
        borrowed[at] = RegisteredPool.NONE;
      }
      if (actions[at] != NOTHING) {
        due.add(actions[at]);
        actions[at] = NOTHING;
      }
    } while (at != place && inQueue > 0);
    return after(place) == next;
  }

  /** Returns the next action that is due since a completion, once; null if there is none. */
  @Nullable Runnable nextDue() {
    return due.poll();
  }

  /** A request has failed, and the link ends. */
  void failed(int status) {
    boolean refused = status == WcStatus.REM_ACCESS_ERR || status == WcStatus.REM_INV_REQ_ERR;
    if (probing && refused && inQueue == 1) {
      lessons.emptyWriteRefused();
    }
    stopTrying(status == WcStatus.LOC_PROT_ERR);
  }

  private void stopTrying(boolean refusedByKey) {
    if (tryingInline) {
      tryingInline = false;
      lessons.inlineFailed(refusedByKey);
    }
  }

  /** Returns whether a request may be under way. */
  boolean hasRequests() {
    return inQueue > 0;
  }

  /** Returns the number of requests that are known to have completed. */
  long done() {
    return done;
  }

  /** Returns the number of requests posted so far. */
  long posted() {
    return posted;
  }

  // ---- slots ----

  /** Returns a slot, or {@link RegisteredPool#NONE}. */
  private int claim() throws IOException {
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

  // ---- the end ----

  /**
   * In ERR: posts a Send that is flushed after all others; returns false if there is no room yet.
   * Only its completion proves that no unsignalled request is left in the queue.
   */
  boolean postLast() throws IOException {
    block.request(0, WorkId.of(link, WorkId.LAST_SEND, 0), SendOpcode.SEND, SendFlags.SIGNALED);
    return queue.postSend(block, 0, 1) == 1;
  }

  /** Releases every slot; the queue pair is drained or destroyed. No further action is due. */
  void release() {
    stopTrying(false);
    for (int i = 0; i < borrowed.length; i++) {
      release(borrowed[i]);
      borrowed[i] = RegisteredPool.NONE;
    }
    Arrays.fill(actions, NOTHING);
    release(open);
    open = RegisteredPool.NONE;
    if (lone != null) {
      lone.release();
      lone = null;
    }
    release(spare);
    spare = RegisteredPool.NONE;
    orders.clear();
  }

  private void release(int slot) {
    if (slot != RegisteredPool.NONE) {
      pool.release(slot);
    }
  }
}
