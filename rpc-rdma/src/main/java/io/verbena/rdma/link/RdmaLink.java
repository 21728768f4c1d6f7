package io.verbena.rdma.link;

import com.ibm.disni.verbs.RdmaCmId;
import io.verbena.link.BulkPort;
import io.verbena.link.Link;
import io.verbena.link.LinkCapabilities;
import io.verbena.link.LinkListener;
import io.verbena.link.LinkOptions;
import io.verbena.link.SendResult;
import io.verbena.link.memory.Quota;
import io.verbena.link.memory.Slot;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.device.CompletionSink;
import io.verbena.rdma.device.Domain;
import io.verbena.rdma.device.QueuePair;
import io.verbena.rdma.device.RdmaDevice;
import io.verbena.rdma.device.Receives;
import io.verbena.rdma.wire.Features;
import io.verbena.rdma.wire.SendHeader;
import io.verbena.rdma.wire.Terms;
import io.verbena.rdma.wire.WorkId;
import io.verbena.verbs.ext.CompletionBlock;
import io.verbena.verbs.ext.WcOpcode;
import io.verbena.verbs.ext.WcStatus;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A link over one queue pair: its states, its work in each cycle, and the reason of its end. {@link
 * SendSide}, {@link ReceiveSide} and {@link RdmaBulk} move the bytes, {@link CreditLedger} counts
 * credit, and {@link QpDrain} ends the queue pair. On the loop.
 *
 * <pre>
 *   CONNECTING ──established──→ OPEN ──close──→ CLOSING ──farewell acknowledged──→ DRAINING ──→ CLOSED
 *       │                         └──────────── failure, abort, peer's farewell ───────↑
 *       ├── failure after this end has accepted ──────────────────────────────────────↑
 *       └── failure before ──→ CLOSED (nothing was sent: the queue pair is destroyed as it is)
 * </pre>
 *
 * <p>DRAINING makes the end certain. The queue pair is in ERR, and the listener is notified only
 * when every request has completed or the queue pair is destroyed. After that no frame arrives, and
 * the device does not touch the link's memory.
 *
 * <p>A cycle of an open link returns owed credit, hands over arrived frames, continues bulk, and
 * notifies a refused sender of room.
 */
public final class RdmaLink implements Link, CompletionSink {
  private static final Logger LOG = LoggerFactory.getLogger(RdmaLink.class);
  private static final ThrottledLog LISTENER_FAILED =
      ThrottledLog.of(RdmaLink.class, "listeners of RDMA links that failed");
  private static final ThrottledLog CLOSED =
      ThrottledLog.of(RdmaLink.class, "RDMA links that were closed for a reason");

  private static final String KIND = "rdma";

  /**
   * After this time without use, leased credits are returned, and a path without traffic is probed.
   */
  private static final long IDLE_NANOS = Duration.ofMillis(100).toNanos();

  private final LinkContext context;
  private final RdmaDevice device;
  private final LinkOptions options;
  private final LinkOpenListener opening;
  private final String localAddress;
  private final String peerAddress;
  private final Runnable whenGone;
  private final QueuePair queuePair;
  private final CreditLedger credits;
  private final Receives receives;
  private final SendSide sends;
  private final RdmaBulk bulk;
  private final ReceiveSide arrivals;
  private final QpDrain drain;
  private LinkCapabilities capabilities;
  private IntSupplier rails = () -> 1;
  private @Nullable LinkListener listener;
  private State state = State.CONNECTING;

  /** The reason of its end; empty before. */
  private String reason = "";

  /** This end has accepted the connection. */
  private boolean accepted;

  /** A message of the peer has arrived. */
  private boolean heard;

  private boolean receiving = true;

  /** Nothing is handed over any more. */
  private boolean muted;

  /** The link waits to be stepped. */
  private boolean ready;

  /** A frame was refused, and its sender was not notified of room since. */
  private boolean blocked;

  /** A write was refused, and its owner was not notified of room since. */
  private boolean writeBlocked;

  /** Callbacks of bulk, to be called outside of the polling of completions. */
  private final ArrayDeque<Runnable> due = new ArrayDeque<>();

  private boolean brokenByPeer;

  /** Neither end's device lacks READs. */
  private boolean reads;

  /** Its context checks its time limits. */
  private boolean watched;

  private long doneSeen = -1;
  private long answeredAt;
  private long postedSeen = -1;
  private long idleSince;

  private enum State {
    CONNECTING,
    OPEN,
    CLOSING,
    DRAINING,
    CLOSED
  }

  /**
   * Makes a link's queue pair and posts its receives. The caller makes the connection.
   *
   * @param id the id of the connection, whose device is known; the link destroys it, unless this
   *     fails
   * @param opening receives the outcome
   * @param whenGone runs when nothing is left of the link
   */
  public RdmaLink(
      LinkContext context,
      RdmaDevice device,
      RdmaCmId id,
      LinkOptions options,
      String peerAddress,
      String localAddress,
      LinkOpenListener opening,
      Runnable whenGone)
      throws IOException {
    this.context = context;
    this.device = device;
    this.options = options;
    this.peerAddress = peerAddress;
    this.localAddress = localAddress;
    this.opening = opening;
    this.whenGone = whenGone;
    capabilities = new LinkCapabilities(KIND, detail(), options.maxFrameBytes(), false);
    RdmaSettings settings = context.settings();
    int depth = settings.credits() + SendHeader.CONTROL_CREDITS;
    Domain domain = device.enter();
    try {
      queuePair = device.attach(domain, id, this, SendSide.depth(settings.credits()), depth);
    } catch (IOException e) {
      device.leave(domain);
      throw e;
    }
    receives = device.receives(domain);
    credits = new CreditLedger(receives.guaranteed(), settings.credits());
    sends =
        new SendSide(
            queuePair,
            device.sends(),
            domain.sendPool(),
            receives,
            credits,
            settings.credits(),
            context.counters());
    Quota.Share pins = domain.join(peerAddress);
    Runnable leave =
        () -> {
          pins.leave();
          device.leave(domain);
        };
    bulk = new RdmaBulk(this, domain, pins, sends, context, leave);
    arrivals = new ReceiveSide(receives, credits, bulk, depth, options.maxFrameBytes());
    drain =
        new QpDrain(
            context.clock(),
            peerAddress,
            device,
            queuePair,
            receives,
            sends,
            arrivals,
            bulk,
            leave);
    try {
      receives.open(queuePair);
    } catch (IOException e) {
      drain.undo();
      throw e;
    }
  }

  /** Returns the device and the local address. */
  private String detail() {
    return device.name() + " at " + URI.create(localAddress).getHost();
  }

  // ---- opening: called by the connection manager's side ----

  /** Returns the terms of the receives that are posted here, for the peer. */
  public Terms terms() {
    return new Terms(
        receives.guaranteed(),
        context.settings().credits(),
        SendHeader.CONTROL_CREDITS,
        receives.pool().slotBytes(),
        device.features());
  }

  /** Takes the peer's terms. */
  public void peerTerms(Terms terms) throws IOException {
    sends.peerTerms(terms);
    if ((device.features() & terms.features() & Features.WRITE_WITH_IMMEDIATE) != 0) {
      bulk.useImmediates();
    }
    int lacking = (device.features() | terms.features()) & Features.NO_READS;
    reads = lacking == 0 && device.readsByLocalKeys();
    int longest = Math.min(options.maxFrameBytes(), sends.maxFrameBytes());
    capabilities = new LinkCapabilities(KIND, detail(), longest, false);
  }

  /** Sets the source for the number of adapters of this end, if it may have further links. */
  public void setRails(IntSupplier now) {
    rails = now;
  }

  @Override
  public int rails() {
    return rails.getAsInt();
  }

  /** This end has accepted the connection. The first message shows that it is established. */
  public void accepted() {
    accepted = true;
  }

  /**
   * The connection is established, and the peer's terms are known. Where the end that has accepted
   * may not send first, its link opens when it has received, and the other end sends at once.
   */
  public void established() {
    boolean ordered = device.acceptorListensFirst();
    if (state != State.CONNECTING || (accepted && ordered && !heard)) {
      return;
    }
    try {
      queuePair.established();
      if (!accepted && ordered) {
        sends.sayHello();
      }
    } catch (IOException e) {
      postingFailed(e);
      return;
    }
    enter(State.OPEN);
    if (!device.keepsAckTimeout()) {
      watch();
    }
    context.counters().linksOpened.increment();
    try {
      listener = opening.opened(this);
    } catch (RuntimeException e) {
      LISTENER_FAILED.error(
          "The owner of the link to {} failed; the link is closed", peerAddress, e);
      mute();
      fail("its owner failed: " + e);
    }
    step(context.clock().nanoTime()); // a frame may have arrived before the event
  }

  /** Returns whether the outcome of opening is still unknown. */
  public boolean isConnecting() {
    return state == State.CONNECTING;
  }

  public RdmaDevice device() {
    return device;
  }

  /** The connection is gone or was never made. */
  public void disconnected(String why) {
    pathLost(why);
  }

  // ---- Link ----

  @Override
  public void listener(LinkListener next) {
    listener = next;
  }

  @Override
  public LinkCapabilities capabilities() {
    return capabilities;
  }

  @Override
  public String localAddress() {
    return localAddress;
  }

  @Override
  public Map<String, Long> figures() {
    return credits.figures();
  }

  @Override
  public String peerAddress() {
    return peerAddress;
  }

  @Override
  public SendResult send(Slot frame) {
    capabilities.requireFrame(frame.length());
    if (state != State.OPEN) {
      return SendResult.CLOSED;
    }
    try {
      if (sends.accept(frame)) {
        return SendResult.SENT;
      }
    } catch (IOException e) {
      postingFailed(e);
      return SendResult.CLOSED;
    }
    blocked = true;
    watch(); // no request under way would show that the path is dead
    context.counters().backPressured.increment();
    return SendResult.BACK_PRESSURED;
  }

  @Override
  public void flush() {
    if (state == State.OPEN) {
      try {
        sends.flush();
      } catch (IOException e) {
        postingFailed(e);
      }
    }
  }

  @Override
  public BulkPort bulk() {
    return bulk;
  }

  @Override
  public void setReceiving(boolean receiving) {
    this.receiving = receiving;
    tellArrivals();
    if (receiving) {
      becomeReady();
    }
  }

  @Override
  public void close() {
    if (state != State.OPEN) {
      return;
    }
    mute();
    flush();
    if (state != State.OPEN) {
      return; // the flush failed
    }
    reason = "closed by this end";
    try {
      if (sends.sendFarewell()) {
        enter(State.CLOSING);
        drain.awaitFarewell();
        context.end(this);
        return;
      }
    } catch (IOException e) {
      LOG.debug("No farewell for {}", peerAddress, e);
    }
    startDraining();
  }

  @Override
  public void abort(String why) {
    if (state == State.CLOSING) {
      startDraining(); // nobody waits any more for what the peer takes
    } else if (state == State.OPEN || state == State.CONNECTING) {
      mute();
      fail(why);
    }
  }

  // ---- completions: in their order, from within polling ----

  @Override
  public void completed(long workId, CompletionBlock block, int index) {
    int slot = WorkId.slot(workId);
    if (state == State.DRAINING) {
      device.flushed();
    }
    switch (WorkId.kind(workId)) {
      case WorkId.RECEIVE, WorkId.SHARED_RECEIVE -> received(slot, block, index);
      case WorkId.SEND -> sent(slot, block.status(index));
      case WorkId.LAST_SEND -> drain.lastSendCompleted();
      default -> throw new AssertionError("no request is called " + workId);
    }
    becomeReady();
  }

  private void received(int slot, CompletionBlock block, int index) {
    String wrong;
    try {
      int status = block.status(index);
      if (status != WcStatus.SUCCESS) {
        arrivals.flushed(slot);
        receiveFailed(status);
        return;
      }
      heard = true;
      int length = block.byteLength(index);
      wrong =
          block.opcode(index) == WcOpcode.RECV_RDMA_WITH_IMM
              ? arrivals.immediate(slot, block.immediate(index), length)
              : arrivals.arrived(slot, length);
    } catch (IOException e) {
      postingFailed(e);
      return;
    }
    if (wrong != null) {
      peerBrokeRules(wrong);
    } else if (state == State.CLOSING && arrivals.hasFarewellArrived()) {
      startDraining(); // both ends close, and neither waits for the other
    }
  }

  private void sent(int place, int status) {
    if (status != WcStatus.SUCCESS) {
      sends.failed(status);
      requestFailed(status);
      return;
    }
    boolean isLatest = sends.completed(place);
    if (state == State.CLOSING && isLatest && device.completesAfterDelivery()) {
      startDraining(); // otherwise the peer's end of the connection shows that it has all
    }
  }

  // ---- stepping ----

  boolean isOpen() {
    return state == State.OPEN;
  }

  boolean isClosed() {
    return state == State.CLOSED;
  }

  /** Runs a callback in a cycle of the link, unless the link ends before. */
  void tellLater(Runnable told) {
    due.add(told);
  }

  /** Drops the callbacks that wait. */
  void forgetDue() {
    due.clear();
  }

  /** A write has found no room; its owner is notified once there is some. */
  void writeTurnedBack() {
    writeBlocked = true;
  }

  /** The link has work for the next cycle. */
  void becomeReady() {
    if (!ready && state != State.CLOSED) {
      ready = true;
      context.ready(this);
    }
  }

  /** Returns whether the link was not watched before. */
  boolean beginWatch() {
    boolean before = watched;
    watched = true;
    return !before;
  }

  void endWatch() {
    watched = false;
  }

  /** A time limit runs: for the peer's answer, or for credit that this end does not use. */
  void watch() {
    context.watch(this);
  }

  /**
   * Does the work that is due; returns its amount. This is one method, because frames are handed
   * over from within, and the stack between it and the loop is deep enough.
   */
  int step(long now) {
    ready = false;
    boolean opened = state == State.OPEN;
    if (!opened && state != State.DRAINING) {
      return state == State.CONNECTING ? stepConnecting() : 0;
    }
    int work = 0;
    try {
      // Credit that was owed before this cycle found no Send to go with.
      if (opened && sends.returnCredit()) {
        work++;
      }
      LinkListener to = listener;
      if (to != null && arrivals.hasArrived()) {
        try {
          work += arrivals.deliver(to);
          delivered();
        } catch (RuntimeException e) {
          listenerFailed(e);
          work++;
        }
      }
      work += opened ? stepOpen() : stepDraining(now);
    } catch (IOException e) {
      postingFailed(e);
      return 1;
    }
    return work;
  }

  /**
   * Returns the work done while connecting. A message may arrive before the event of the
   * connection, and proves the same.
   */
  private int stepConnecting() {
    if (!accepted || !heard) {
      return 0;
    }
    established();
    return 1;
  }

  /** Hands over the arrived messages, as far as they are wanted and it is possible. */
  private void delivered() throws IOException {
    String lie = arrivals.takeLie();
    if (lie != null) {
      peerBrokeRules(lie);
    } else if (arrivals.isFarewellNext()) {
      peerSaidFarewell();
    }
    arrivals.settle();
  }

  /** Steps an open link. It stays open at least until arrived frames are handed over. */
  private int stepOpen() throws IOException {
    if (credits.leased() > 0) {
      watch();
    }
    int work = stepBulk();
    if (state == State.OPEN && hasRoomAgain()) {
      work++;
      tellWritable();
    }
    if (!credits.owesLittle()) {
      becomeReady();
    }
    return work;
  }

  /** Runs callbacks, and checks whether the drain is complete. */
  private int stepDraining(long now) throws IOException {
    int work = stepBulk();
    boolean drained = drain.isDrained(now);
    if (drained || drain.isOverdue(now)) {
      if (!drained && listener != null) {
        context.counters().undrained.increment();
      }
      finish();
      work++;
    }
    return work;
  }

  /** Posts waiting requests and runs callbacks; returns their number. */
  private int stepBulk() throws IOException {
    int work = 0;
    try {
      if (state == State.OPEN) {
        sends.stepOrders();
      }
      Runnable next;
      while ((next = sends.nextDue()) != null || (next = due.poll()) != null) {
        next.run();
        work++;
      }
    } catch (RuntimeException e) {
      listenerFailed(e);
      return 1;
    }
    return work;
  }

  /** Returns whether there is room again for a refused sender; true once. */
  private boolean hasRoomAgain() {
    boolean again = false;
    if (writeBlocked && sends.hasRoomForWrite()) {
      writeBlocked = false;
      again = true;
    }
    if (blocked && sends.hasRoom()) {
      blocked = false;
      again = true;
    }
    return again;
  }

  private void tellWritable() {
    LinkListener to = listener;
    try {
      if (to != null) {
        to.onWritable();
      }
    } catch (RuntimeException e) {
      listenerFailed(e);
    }
  }

  /** Checks the time limits; returns whether there are more to watch. */
  boolean isWatched(long now) {
    if (state != State.OPEN) {
      return false;
    }
    if (bulk.local().isOverdue(now)) {
      peerBrokeRules("the peer did not confirm the revocation of a target in time");
    }
    if (sends.posted() != postedSeen) {
      postedSeen = sends.posted();
      idleSince = now;
    } else if (now - idleSince >= IDLE_NANOS) {
      idle();
    }
    if (!device.keepsAckTimeout()) {
      checkAnswers(now);
      return state == State.OPEN;
    }
    return bulk.local().isRevoking() || credits.leased() > 0 || blocked;
  }

  /**
   * Ends the link if its device does not: the limit is the longest time that a device may take with
   * the ACK timeout of the settings (InfiniBand specification, 9.7.6.1.3).
   */
  private void checkAnswers(long now) {
    if (sends.done() != doneSeen || !sends.hasRequests()) {
      doneSeen = sends.done();
      answeredAt = now;
    } else if (now - answeredAt >= context.settings().deadPathNanos()) {
      pathLost(
          "the peer's device has acknowledged nothing for %d ms"
              .formatted(Duration.ofNanos(now - answeredAt).toMillis()));
    }
  }

  /** Returns whether READs of this link's ends need only local keys, and both devices have them. */
  boolean reads() {
    return reads;
  }

  /**
   * Nothing was posted for a while: returns leased credit, and probes the path if an answer is
   * awaited.
   */
  private void idle() {
    try {
      if (credits.leased() > 0) {
        sends.giveLeaseBack();
      } else if (blocked || (sends.hasRequests() && !device.keepsAckTimeout())) {
        sends.probe();
      }
    } catch (IOException e) {
      postingFailed(e);
    }
  }

  /** Moves a link that is ending to its next step when the present one takes too long. */
  void expire(long now) {
    if (state == State.DRAINING && drain.drainsByTime()) {
      becomeReady();
    }
    if (drain.isOverdue(now)) {
      if (state == State.CLOSING) {
        startDraining();
      } else {
        becomeReady();
      }
    }
  }

  // ---- changes of state ----

  private void enter(State next) {
    state = next;
    tellArrivals();
  }

  /** Stops the handover. */
  private void mute() {
    muted = true;
    tellArrivals();
  }

  private void tellArrivals() {
    boolean mayHandOver = state == State.OPEN || state == State.DRAINING;
    arrivals.link(state == State.OPEN, receiving && !muted && mayHandOver);
  }

  private void peerSaidFarewell() {
    mute();
    String why = "the peer closed the link";
    if (state == State.DRAINING) {
      reason = why;
    }
    fail(why);
  }

  /** Ends the link, for a reason. */
  private void fail(String why) {
    switch (state) {
      case CONNECTING, OPEN -> {
        reason = why;
        startDraining();
      }
      case CLOSING -> startDraining();
      case DRAINING, CLOSED -> {}
    }
  }

  /** Stops sending, and ends the requests under way. */
  private void startDraining() {
    if (state != State.CLOSING) {
      context.end(this);
    }
    boolean unused = state == State.CONNECTING && !accepted; // otherwise the peer may have sent
    enter(State.DRAINING);
    if (unused) {
      drain.skip();
    } else {
      drain.drain();
    }
    becomeReady();
  }

  /** Returns whether the device may still send for this link, such as a farewell. */
  public boolean isSending() {
    return state != State.CLOSED && !drain.isAllSent();
  }

  /** Returns everything and notifies the listener, whether or not the queue pair is drained. */
  public void finish() {
    if (state == State.CLOSED) {
      return;
    }
    enter(State.CLOSED);
    drain.giveBack();
    whenGone.run();
    LinkListener told = listener;
    if (told == null) {
      opening.failed(reason);
      return;
    }
    context.counters().linksClosed.increment();
    try {
      told.onClosed(reason);
    } catch (RuntimeException e) {
      LISTENER_FAILED.error("The listener of the link to {} failed at its end", peerAddress, e);
    }
  }

  // ---- the reason of the end ----

  /** Counts once for each link, also while it ends, because remaining messages are still read. */
  private void peerBrokeRules(String how) {
    if (!brokenByPeer) {
      brokenByPeer = true;
      CLOSED.warn("The link to {} is closed: {}", peerAddress, how);
      context.counters().brokenRules.increment();
    }
    mute();
    fail(how);
  }

  /** This end's device has refused a request of the peer's device. */
  @Override
  public void refusedPeer(boolean ofAccess) {
    peerBrokeRules(
        ofAccess
            ? "the peer's device was refused access to memory: its key, the bounds or the rights do"
                + " not cover what it wrote or read"
            : "the peer's device made a request that is invalid, or too long for its receive");
  }

  @Override
  public void queuePairFailed() {
    String why = "the device " + device.name() + " reports that its queue pair has failed";
    CLOSED.warn("The link to {} is closed: {}", peerAddress, why);
    fail(why);
  }

  private void receiveFailed(int status) {
    switch (status) {
      // rdma_rxe reports the latter.
      case WcStatus.LOC_ACCESS_ERR, WcStatus.REM_ACCESS_ERR -> refusedPeer(true);
      case WcStatus.LOC_LEN_ERR, WcStatus.REM_INV_REQ_ERR -> refusedPeer(false);
      default -> requestFailed(status);
    }
  }

  private void requestFailed(int status) {
    pathLost("a request failed: " + WcStatus.describe(status));
  }

  /** Nothing gets through any more. While the link closes, that is as good as an answer. */
  private void pathLost(String why) {
    if (state == State.CLOSING) {
      startDraining();
    } else {
      hearTheDevice();
      fail(why);
    }
  }

  /**
   * Asks the device, which may report that the peer's request was the cause; then that is the
   * reason.
   */
  private void hearTheDevice() {
    if (state == State.OPEN && !device.isLost()) {
      try {
        device.pollEvents();
      } catch (IOException e) {
        LOG.debug("{} does not report why the link to {} ends", device.name(), peerAddress, e);
      }
    }
  }

  /** A request could not be posted. */
  void postingFailed(IOException e) {
    fail(String.valueOf(e.getMessage()));
  }

  private void listenerFailed(RuntimeException e) {
    LISTENER_FAILED.error(
        "The listener of the link to {} failed; the link is closed", peerAddress, e);
    mute();
    fail("its listener failed: " + e);
  }

  /** There is nothing to drain. */
  @Override
  public void deviceLost(String why) {
    fail(why);
    finish();
  }

  @Override
  public String toString() {
    return KIND + " link to " + peerAddress + " over " + device.name();
  }
}
