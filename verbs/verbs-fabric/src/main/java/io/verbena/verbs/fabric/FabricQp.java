package io.verbena.verbs.fabric;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPCap;
import com.ibm.disni.verbs.IbvQPInitAttr;
import io.verbena.verbs.ext.AsyncEvent;
import io.verbena.verbs.ext.Closing;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.QpAttributes;
import io.verbena.verbs.ext.QpChange;
import io.verbena.verbs.ext.QpRequest;
import io.verbena.verbs.ext.QpState;
import io.verbena.verbs.ext.ReceiveBlock;
import io.verbena.verbs.ext.SendBlock;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsQp;
import io.verbena.verbs.ext.WcStatus;
import java.io.IOException;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** A reliable connected queue pair, with its attributes, its state and its receive side. */
final class FabricQp extends IbvQP implements VerbsQp {
  /** Longer than a request takes to complete. */
  private static final int UNDER_WAY_LATENCIES = 3;

  private static final long UNDER_WAY_NANOS = 50_000;

  private final FabricCmId id;
  final FabricContext device;
  final FabricPd domain;
  final FabricCq sendCq;
  private final FabricCq receiveCq;
  private final @Nullable FabricSrq srq;
  final ReceiveQueue receives;
  private final Requester requester;
  final int maxSendSges;
  private final int maxReceiveSges;
  final int maxInline;
  private QpState now = QpState.INIT;
  private @Nullable FabricQp peer;
  private ConnectionTerms terms = ConnectionTerms.NONE;
  private int accessFlags;
  private int minRnrTimer;

  /** It has accepted the connection, and received nothing since. */
  private boolean hearing;

  /** Messages that the peer's device has completed, and this one has not received yet. */
  private final ArrayDeque<Delivery> underWay = new ArrayDeque<>();

  FabricQp(FabricCmId id, FabricPd pd, IbvQPInitAttr attr, int number) throws IOException {
    super(number);
    this.id = id;
    device = pd.device;
    domain = pd;
    context = device;
    this.pd = pd;
    sendCq = (FabricCq) attr.getSend_cq();
    receiveCq = (FabricCq) attr.getRecv_cq();
    send_cq = sendCq;
    recv_cq = receiveCq;
    qp_num = number;
    qp_type = QpRequest.type(attr);
    srq = sharedQueue(attr);
    IbvQPCap cap = attr.cap();
    checkCapacities(cap);
    Fabric fabric = device.fabric;
    DeviceProfile profile = device.host.profile;
    int pieces = profile.count(DeviceLimit.PIECES);
    maxSendSges = QpRequest.pieces(cap.getMax_send_sge(), pieces);
    maxReceiveSges = QpRequest.pieces(cap.getMax_recv_sge(), pieces);
    maxInline = profile.grantedInline(cap.getMax_inline_data());
    SendQueue queue =
        new SendQueue(fabric.depth(Math.max(1, cap.getMax_send_wr())), maxSendSges, maxInline);
    receives =
        srq != null
            ? srq.queue
            : new ReceiveQueue(fabric.depth(Math.max(1, cap.getMax_recv_wr())), maxReceiveSges);
    requester = new Requester(this, queue, attr.getSq_sig_all() != 0);
    cap.setMax_send_sge(maxSendSges);
    cap.setMax_recv_sge(maxReceiveSges);
    cap.setMax_inline_data(maxInline);
    cap.setMax_send_wr(queue.capacity());
    cap.setMax_recv_wr(srq != null ? 0 : receives.capacity());
    sendCq.addUser();
    receiveCq.addUser();
    pd.addUser();
    if (srq != null) {
      srq.addUser();
    }
    device.opened(this);
    device.host.objects++;
  }

  private @Nullable FabricSrq sharedQueue(IbvQPInitAttr attr) throws VerbsException {
    if (attr.getSrq() == 0) {
      return null;
    }
    FabricSrq found = device.handles.find(attr.getSrq(), FabricSrq.class);
    if (found == null || found.pd != domain) {
      throw new VerbsException(
          "rdma_create_qp", Errno.EINVAL, "the shared receive queue is closed, or of another PD.");
    }
    return found;
  }

  private void checkCapacities(IbvQPCap cap) throws VerbsException {
    DeviceProfile profile = device.host.profile;
    if (profile.has(DeviceBehaviour.REFUSES_QUEUE_PAIRS)) {
      throw new VerbsException(
          "rdma_create_qp", Errno.EOPNOTSUPP, "this device has no reliable connected queue pairs.");
    }
    int requests = profile.count(DeviceLimit.REQUESTS);
    int pieces = profile.count(DeviceLimit.PIECES);
    if (cap.getMax_send_wr() > requests
        || cap.getMax_recv_wr() > requests
        || cap.getMax_send_sge() > pieces
        || cap.getMax_recv_sge() > pieces
        || profile.grantedInline(cap.getMax_inline_data()) < 0) {
      throw new VerbsException(
          "rdma_create_qp",
          Errno.EINVAL,
          "a capacity exceeds the device's: at most "
              + requests
              + " requests, "
              + pieces
              + " pieces, "
              + profile.limit(DeviceLimit.INLINE)
              + " bytes inline.");
    }
  }

  @Override
  public int postSend(SendBlock block, int first, int count) throws VerbsException {
    synchronized (device.fabric.lock) {
      use("ibv_post_send");
      if (now == QpState.RESET || now == QpState.INIT || now == QpState.RTR) {
        throw new VerbsException(
            "ibv_post_send",
            Errno.EINVAL,
            "the queue pair is in " + now + ". Post sends once the connection is established.");
      }
      if (now == QpState.ERR && behaves(DeviceBehaviour.REFUSES_LATE_REQUESTS)) {
        int errno = device.fabric.random.nextBoolean() ? Errno.EIO : Errno.EINVAL;
        throw new VerbsException("ibv_post_send", errno, "this device takes none in ERR.");
      }
      return requester.post(block, first, count);
    }
  }

  @Override
  public int postReceive(ReceiveBlock block, int first, int count) throws VerbsException {
    synchronized (device.fabric.lock) {
      use("ibv_post_recv");
      if (srq != null || now == QpState.RESET) {
        throw new VerbsException(
            "ibv_post_recv",
            Errno.EINVAL,
            srq != null ? "it has a shared receive queue. Post there." : "it is in RESET.");
      }
      if (now == QpState.ERR && behaves(DeviceBehaviour.REFUSES_LATE_RECEIVES)) {
        throw new VerbsException("ibv_post_recv", Errno.EINVAL, "this device takes none in ERR.");
      }
      int posted = receives.post("ibv_post_recv", block, first, count);
      device.host.tally.receivePost(posted);
      if (now == QpState.ERR) {
        flushReceives();
      }
      return posted;
    }
  }

  @Override
  public void modify(QpChange change) throws VerbsException {
    synchronized (device.fabric.lock) {
      use("ibv_modify_qp");
      boolean toState = (change.mask() & QpChange.STATE) != 0 && change.state() != now;
      boolean attributes = (change.mask() & ~QpChange.STATE) != 0;
      boolean stateless = (change.mask() & QpChange.STATE) == 0;
      if (stateless && behaves(DeviceBehaviour.NEEDS_STATE_TO_MODIFY)) {
        throw invalid("without a state, because its device takes none");
      }
      if (toState && change.state() != QpState.ERR && change.state() != QpState.RESET) {
        throw invalid("to " + change.state() + ": connecting makes that step");
      }
      if (attributes && now != QpState.RTS && now != QpState.RTR) {
        throw invalid("of its attributes. Change them once it is connected");
      }
      if ((change.mask() & QpChange.ACCESS_FLAGS) != 0) {
        accessFlags = change.accessFlags();
      }
      boolean timed = (change.mask() & QpChange.MIN_RNR_TIMER) != 0;
      if (timed && !behaves(DeviceBehaviour.IGNORES_RNR_TIMER)) {
        minRnrTimer = change.minRnrTimer();
      }
      if (toState && change.state() == QpState.ERR) {
        enterError();
      } else if (toState) {
        reset();
      }
    }
  }

  private VerbsException invalid(String what) {
    return new VerbsException(
        "ibv_modify_qp",
        Errno.EINVAL,
        "a queue pair in " + now + " allows no change " + what + ".");
  }

  @Override
  public QpAttributes query() throws VerbsException {
    synchronized (device.fabric.lock) {
      use("ibv_query_qp");
      FabricQp other = peer;
      return new QpAttributes(
          now,
          other == null ? 0 : other.qp_num,
          accessFlags,
          minRnrTimer,
          terms.ackTimeout(),
          terms.retries(),
          terms.rnrRetries(),
          terms.maxReadAtomic(),
          terms.maxDestinationReadAtomic(),
          1024,
          requester.capacity(),
          srq != null ? 0 : receives.capacity(),
          maxSendSges,
          maxReceiveSges,
          maxInline);
    }
  }

  @Override
  public int getQp_num() {
    return qp_num;
  }

  @Override
  public int getState() {
    synchronized (device.fabric.lock) {
      return isOpen ? now.value() : QpState.ERR.value();
    }
  }

  /** Destroys the queue pair through its id, as DiSNI does. */
  @Override
  public void close() {
    Closing.unless(!isOpen, id::destroyQP);
  }

  // The methods below are called under the fabric's lock.

  private void use(String call) throws VerbsException {
    if (!isOpen) {
      throw VerbsException.closed(call, "Queue pair " + qp_num);
    }
    device.check(call);
  }

  /** Returns whether the device behaves so. */
  boolean behaves(DeviceBehaviour behaviour) {
    return device.host.profile.has(behaviour);
  }

  QpState state() {
    return now;
  }

  ConnectionTerms terms() {
    return terms;
  }

  int minRnrTimer() {
    return minRnrTimer;
  }

  boolean grants(int access) {
    return (accessFlags & access) == access;
  }

  /** Returns the other end, if it would now accept a packet of this queue pair; else null. */
  @Nullable FabricQp reach() {
    FabricQp other = peer;
    boolean listens =
        other != null
            && other.peer == this
            && other.isOpen
            && other.now == QpState.RTS
            && !other.device.isRemoved()
            && !device.isRemoved()
            && terms.link().carries();
    return listens ? other : null;
  }

  void connect(FabricQp other, ConnectionTerms agreed, boolean passive) {
    peer = other;
    hearing = passive;
    terms = agreed;
    accessFlags = agreed.accessFlags();
    now = QpState.RTS;
    requester.restart();
  }

  /** Called when a poll has read the completion of a slot. */
  void polled(long sendIndex) {
    requester.polled(sendIndex);
  }

  /** Returns whether it must not send yet, by the order of MPA. */
  boolean mustHearFirst() {
    return hearing && behaves(DeviceBehaviour.LISTENS_FIRST);
  }

  /** A request of the peer has come. */
  void heard() {
    hearing = false;
  }

  /** A message for a receive. */
  record Delivery(
      long wrId, int opcode, int byteLength, int immediate, int flags, boolean solicited) {}

  /** Returns whether the peer's device completes its requests before they are delivered. */
  boolean isDeliveredLate() {
    FabricQp from = peer;
    return from != null && from.behaves(DeviceBehaviour.COMPLETES_BEFORE_DELIVERY);
  }

  /** Delivers a message later. What is not delivered when either end enters ERR is lost. */
  void deliverLate(Delivery delivery) {
    underWay.add(delivery);
    device.fabric.after(
        UNDER_WAY_LATENCIES * device.fabric.latency() + UNDER_WAY_NANOS, this::deliverNext);
  }

  private void deliverNext() {
    Delivery next = underWay.poll();
    if (next != null && isOpen) {
      boolean _ = received(next);
    }
  }

  /** Completes a receive with a message. Returns false if the completion queue overflowed. */
  private boolean received(Delivery delivery) {
    Completion completion = receiveCompletion(delivery.wrId, WcStatus.SUCCESS);
    if (completion == null) {
      return false;
    }
    completion.opcode = delivery.opcode;
    completion.byteLength = delivery.byteLength;
    completion.immediate = delivery.immediate;
    completion.flags = delivery.flags;
    completion.solicited = delivery.solicited;
    receiveCq.enter();
    return true;
  }

  /** Loses all that is under way in both directions, because the connection is reset. */
  private void loseUnderWay() {
    Delivery lost;
    while ((lost = underWay.poll()) != null) {
      flushReceive(lost.wrId);
    }
    FabricQp other = peer;
    if (other != null && other.peer == this && !other.underWay.isEmpty()) {
      other.enterError();
    }
  }

  /** Makes the completion of a consumed receive, and the limit event of a shared queue. */
  @Nullable Completion receiveCompletion(long wrId, int status) {
    if (srq != null) {
      srq.taken();
    }
    Completion completion = receiveCq.next(this);
    if (completion != null) {
      completion.wrId = wrId;
      completion.status = status;
      completion.sendIndex = -1;
      completion.solicited = false;
      completion.flags = 0;
    }
    return completion;
  }

  void enterReceiveCompletion() {
    receiveCq.enter();
  }

  void enterError() {
    if (now == QpState.ERR) {
      return;
    }
    now = QpState.ERR;
    loseUnderWay();
    requester.flush();
    flushReceives();
    if (device.host.profile.has(DeviceBehaviour.REPORTS_ODD_EVENTS)) {
      device.raiseOddEvents(this);
    }
    if (srq != null && device.fabric.temper.lastWqeEvent()) {
      device.reachedLast(this);
    }
  }

  /** Stops all work, because the device is gone. */
  void freeze() {
    requester.stop();
  }

  /** Returns the report that this queue pair, or a queue that it uses, has failed. */
  AsyncEvent failure(AsyncEvent.Type what) {
    return switch (what) {
      case CQ_ERR -> new AsyncEvent(what, null, sendCq, null, 0);
      case SRQ_ERR -> new AsyncEvent(what, null, null, srq, 0);
      default -> new AsyncEvent(what, this, null, null, 0);
    };
  }

  void destroy() {
    loseUnderWay();
    isOpen = false;
    requester.stop();
    device.closed(this);
    device.host.objects--;
    sendCq.removeUser(this);
    receiveCq.removeUser(this);
    domain.removeUser();
    if (srq != null) {
      srq.removeUser();
    }
  }

  private void reset() {
    now = QpState.RESET;
    peer = null;
    requester.clear();
    while (srq == null && receives.size() > 0) {
      receives.take();
    }
  }

  /** Flushes a shared receive that was taken in advance, if the fabric's temper does that. */
  void flushTaken() {
    if (device.fabric.temper.takesAhead() && receives.size() > 0) {
      flushNextReceive();
    }
    receiveCq.revealAll();
  }

  private void flushReceives() {
    while (srq == null && receives.size() > 0 && !behaves(DeviceBehaviour.NEVER_FLUSHES)) {
      flushNextReceive();
    }
  }

  private void flushNextReceive() {
    flushReceive(receives.take().wrId);
  }

  private void flushReceive(long wrId) {
    if (receiveCompletion(wrId, WcStatus.WR_FLUSH_ERR) != null) {
      receiveCq.enter();
    }
  }
}
