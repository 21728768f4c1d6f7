package io.verbena.rdma.link;

import com.ibm.disni.verbs.RdmaCmId;
import io.verbena.core.link.BulkPort;
import io.verbena.core.link.Link;
import io.verbena.core.link.LinkCapabilities;
import io.verbena.core.link.LinkListener;
import io.verbena.core.link.LinkOptions;
import io.verbena.core.link.SendResult;
import io.verbena.core.log.ThrottledLog;
import io.verbena.core.memory.Slot;
import io.verbena.rdma.device.CompletionSink;
import io.verbena.rdma.device.Domain;
import io.verbena.rdma.device.QueuePair;
import io.verbena.rdma.device.RdmaDevice;
import io.verbena.rdma.device.SharedReceives;
import io.verbena.rdma.wire.Terms;
import io.verbena.rdma.wire.WorkId;
import io.verbena.verbs.ext.CompletionBlock;
import io.verbena.verbs.ext.WcOpcode;
import io.verbena.verbs.ext.WcStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A link over one queue pair.
 *
 * <pre>
 *   CONNECTING ──opened──→ OPEN ──close──→ CLOSING ──farewell acknowledged──→ DRAINING ──→ CLOSED
 *       │                    └──────────── failure, abort, peer's farewell ───────↑
 *       └── failure ──→ CLOSED (nothing was sent: the queue pair is destroyed as it is)
 * </pre>
 *
 * <p>DRAINING is what makes the end true: the queue pair is in ERR, and the listener is told only
 * when every request has completed, or the queue pair is destroyed. After that no frame arrives and
 * the device reads and writes none of the link's memory.
 */
public final class RdmaLink implements Link, CompletionSink {
  private static final Logger LOG = LoggerFactory.getLogger(RdmaLink.class);
  private static final ThrottledLog UNDESTROYED =
      ThrottledLog.of(RdmaLink.class, "queue pairs that could not be destroyed");
  private static final ThrottledLog FAILED =
      ThrottledLog.of(RdmaLink.class, "listeners of RDMA links that failed");
  private static final ThrottledLog CLOSED =
      ThrottledLog.of(RdmaLink.class, "RDMA links that were closed for a reason");

  /** Leased credits that were of no use for so long go back; a path without traffic is probed. */
  private static final long IDLE_NANOS = Duration.ofMillis(100).toNanos();

  private static final String KIND = "rdma";

  private enum State {
    CONNECTING,
    OPEN,
    CLOSING,
    DRAINING,
    CLOSED
  }

  private final LinkContext context;
  private final RdmaDevice device;
  private final LinkOptions options;
  private final Opening opening;
  private final String localAddress;
  private final String peerAddress;
  private final Domain domain;
  private final QueuePair queuePair;
  private final CreditLedger credits;
  private final ReceiveSide receives;
  private final SendQueue queue;
  private final SendSide sends;
  private final RdmaBulk bulk;
  private final Ending ending;
  private final Runnable whenGone;
  private LinkCapabilities capabilities;
  private @Nullable LinkListener listener;
  private State state = State.CONNECTING;
  private String reason = "";
  private boolean receiving = true;
  private boolean muted;
  private boolean blocked;
  private boolean accepted;
  private boolean due;
  private boolean brokenByPeer;
  private long sendsSeen = -1;
  private long idleSince;

  /**
   * Makes a link's queue pair and posts its receives; the connection is the caller's to make.
   *
   * @param id of the connection, whose device is known; the link destroys it, unless this fails
   * @param opening hears of the outcome
   * @param whenGone runs when nothing is left of the link
   */
  public RdmaLink(
      LinkContext context,
      RdmaDevice device,
      RdmaCmId id,
      LinkOptions options,
      String peerAddress,
      String localAddress,
      Opening opening,
      Runnable whenGone)
      throws IOException {
    this.context = context;
    this.device = device;
    this.options = options;
    this.peerAddress = peerAddress;
    this.localAddress = localAddress;
    this.opening = opening;
    this.whenGone = whenGone;
    this.capabilities = new LinkCapabilities(KIND, device.name(), options.maxFrameBytes(), false);
    this.domain = device.enter();
    SharedReceives shared = domain.shared();
    Receives from =
        shared == null
            ? new OwnReceives(device.receives(), domain.receivePool(), context.settings().credits())
            : new LeasedReceives(shared, context.settings().guaranteedCredits());
    this.credits = new CreditLedger(from.guaranteed(), context.settings().credits());
    this.receives = new ReceiveSide(from, credits, context.settings(), device.features());
    int places = Math.max(64, context.settings().credits() + 2 * SendSide.RESERVED);
    int sendDepth = places + BulkSends.PLACES;
    try {
      this.queuePair =
          device.attach(domain, id, this, sendDepth, ReceiveSide.depth(context.settings()));
    } catch (IOException e) {
      device.leave(domain);
      throw e;
    }
    this.queue = new SendQueue(queuePair, device.sends(), sendDepth);
    Orders orders = new Orders();
    this.sends =
        new SendSide(
            domain.sendPool(), queue, orders, credits, receives, places / 4, context.counters());
    BulkSends writes = new BulkSends(queue, orders, credits, context.counters());
    this.bulk =
        new RdmaBulk(
            this, domain, sends, writes, context, device.features(), () -> device.leave(domain));
    this.ending = new Ending(context.clock(), peerAddress, queuePair, queue, receives);
    try {
      receives.post(queuePair);
    } catch (IOException e) {
      undo();
      throw e;
    }
  }

  private void undo() {
    Runnable rest =
        () -> {
          receives.release();
          device.leave(domain);
        };
    try {
      queuePair.undo();
      rest.run();
    } catch (IOException e) {
      UNDESTROYED.error(
          "The queue pair of a link over {} that was not opened cannot be destroyed",
          device.name(),
          e);
      device.keep(queuePair, rest);
    }
  }

  // ---- opening: called by the connection manager's side ----

  /** Returns what the peer is to be told of the receives posted here. */
  public Terms terms() {
    return receives.terms();
  }

  /** The peer has told its terms. */
  public void peerTerms(Terms terms) throws IOException {
    sends.peerTerms(terms);
    bulk.peerFeatures(terms.features());
    int longest = Math.min(options.maxFrameBytes(), sends.maxFrameBytes());
    capabilities = new LinkCapabilities(KIND, device.name(), longest, false);
  }

  /** This end has accepted the connection: what arrives shows that it stands. */
  public void accepted() {
    accepted = true;
  }

  /** The connection stands, and the peer's terms are known. */
  public void established() {
    if (state != State.CONNECTING) {
      return;
    }
    try {
      queuePair.established();
    } catch (IOException e) {
      fail(words(e));
      return;
    }
    state = State.OPEN;
    context.counters().linkOpened();
    try {
      listener = opening.opened(this);
    } catch (RuntimeException e) {
      FAILED.error("Nobody took the link to {}; it is closed", peerAddress, e);
      abort("its owner failed: " + e);
    }
    step(); // a frame may have come before the event
  }

  /** Returns whether the outcome of opening is not known yet. */
  public boolean isConnecting() {
    return state == State.CONNECTING;
  }

  /** Returns the device it stands on. */
  public RdmaDevice device() {
    return device;
  }

  /** The connection is gone or was never made. */
  public void disconnected(String why) {
    if (state == State.CLOSING) {
      drain();
    } else {
      hearTheDevice();
      fail(why);
    }
  }

  // ---- Link ----

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

  /** A queue pair authenticates nobody; the session's first link did. */
  @Override
  public @Nullable String peerPrincipal() {
    return null;
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
      fail(words(e));
      return SendResult.CLOSED;
    }
    blocked = true;
    watch(); // nothing under way would tell that the path is dead
    context.counters().backPressured();
    return SendResult.BACK_PRESSURED;
  }

  @Override
  public void flush() {
    if (state == State.OPEN) {
      try {
        sends.flush();
      } catch (IOException e) {
        fail(words(e));
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
    if (receiving) {
      becomeDue();
    }
  }

  @Override
  public void close() {
    if (state != State.OPEN) {
      return;
    }
    muted = true;
    flush();
    if (state != State.OPEN) {
      return; // flushing failed
    }
    reason = "closed by this end";
    try {
      if (sends.sayFarewell()) {
        state = State.CLOSING;
        ending.awaitFarewell();
        context.due().ends(this);
        return;
      }
    } catch (IOException e) {
      LOG.debug("No farewell for {}", peerAddress, e);
    }
    drain();
  }

  @Override
  public void abort(String why) {
    if (state == State.OPEN || state == State.CONNECTING) {
      muted = true;
      fail(why);
    }
  }

  // ---- stepping ----

  @Override
  public void completed(long workId, CompletionBlock block, int index) {
    int slot = WorkId.slot(workId);
    switch (WorkId.kind(workId)) {
      case WorkId.RECEIVE, WorkId.SHARED_RECEIVE -> received(slot, block, index);
      case WorkId.SEND -> sent(slot, block.status(index));
      case WorkId.LAST_SEND -> ending.lastSendCompleted();
      default -> throw new AssertionError("no request is called " + workId);
    }
    becomeDue();
  }

  private void received(int slot, CompletionBlock block, int index) {
    String wrong;
    try {
      int status = block.status(index);
      if (status != WcStatus.SUCCESS) {
        receives.flushed(slot);
        receiveFailed(status);
        return;
      }
      int length = block.byteLength(index);
      wrong =
          block.opcode(index) == WcOpcode.RECV_RDMA_WITH_IMM
              ? receives.immediate(slot, block.immediate(index), length, bulk)
              : receives.arrived(this, slot, length, bulk);
    } catch (IOException e) {
      fail(words(e));
      return;
    }
    if (wrong != null) {
      peerBrokeRules(wrong);
    }
  }

  private void receiveFailed(int status) {
    switch (status) {
      case WcStatus.LOC_ACCESS_ERR, WcStatus.REM_ACCESS_ERR -> refusedPeer(true); // rxe: the latter
      case WcStatus.LOC_LEN_ERR, WcStatus.REM_INV_REQ_ERR -> refusedPeer(false);
      default -> failOn(status);
    }
  }

  private void sent(int place, int status) {
    if (status != WcStatus.SUCCESS) {
      failOn(status);
      return;
    }
    sends.completed(place);
    if (state == State.CLOSING && queue.isLatest(place)) {
      drain();
    }
  }

  private void failOn(int status) {
    if (state == State.CLOSING) {
      drain();
    } else {
      hearTheDevice();
      fail("a request failed: " + WcStatus.describe(status));
    }
  }

  /** The device may say that the peer's request was the cause: then that is why the link ends. */
  private void hearTheDevice() {
    if (state == State.OPEN && !device.isLost()) {
      try {
        device.pollEvents();
      } catch (IOException e) {
        LOG.debug("{} does not say why the link to {} ends", device.name(), peerAddress, e);
      }
    }
  }

  @Override
  public void refusedPeer(boolean ofAccess) {
    peerBrokeRules(
        ofAccess
            ? "the peer's device was refused access to memory: its key, the bounds or the rights do"
                + " not cover what it wrote or read"
            : "the peer's device made a request that is invalid, or too long for its receive");
  }

  /** There is nothing to drain. */
  @Override
  public void deviceLost(String why) {
    fail(why);
    finish();
  }

  void becomeDue() {
    if (!due && state != State.CLOSED) {
      due = true;
      context.due().add(this);
    }
  }

  /** Does what is due, and returns how much that was. */
  int step() {
    due = false;
    try {
      return switch (state) {
        case CONNECTING -> stepConnecting();
        case OPEN -> stepOpen();
        case CLOSING, CLOSED -> 0;
        case DRAINING -> stepDraining();
      };
    } catch (IOException e) {
      fail(words(e));
      return 1;
    }
  }

  /** A frame may come before the event that says the connection stands, and says as much. */
  private int stepConnecting() {
    if (!accepted || !receives.hasArrived()) {
      return 0;
    }
    established();
    return 1;
  }

  private int stepOpen() throws IOException {
    // Credit that was owed before this cycle found no Send to go with.
    int work = sends.returnCredit() ? 1 : 0;
    work += deliver();
    if (credits.leased() > 0) {
      watch();
    }
    work += stepBulk();
    if (state == State.OPEN && hasRoomAgain()) {
      work++;
      tellWritable();
    }
    if (!credits.owesLittle()) {
      becomeDue();
    }
    return work;
  }

  private int stepBulk() throws IOException {
    try {
      return bulk.step();
    } catch (RuntimeException e) {
      listenerFailed(e);
      return 1;
    }
  }

  private boolean hasRoomAgain() {
    boolean bulkHas = bulk.hasRoomAgain();
    if (blocked && sends.hasRoom()) {
      blocked = false;
      return true;
    }
    return bulkHas;
  }

  private int deliver() throws IOException {
    LinkListener to = listener;
    if (to == null || !receives.hasArrived()) {
      return 0;
    }
    try {
      return receives.deliver(this, to, options.maxFrameBytes());
    } catch (RuntimeException e) {
      listenerFailed(e);
      return 1;
    }
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

  private void listenerFailed(RuntimeException e) {
    FAILED.error("The listener of the link to {} failed; the link is closed", peerAddress, e);
    muted = true;
    fail("its listener failed: " + e);
  }

  boolean wantsFrames() {
    return receiving && !muted && (state == State.OPEN || state == State.DRAINING);
  }

  boolean isOpen() {
    return state == State.OPEN;
  }

  QueuePair queuePair() {
    return queuePair;
  }

  /** Something could not be posted. */
  void postingFailed(IOException e) {
    fail(words(e));
  }

  /** The peer is to answer within a time, or this end to give back what it does not use. */
  void watch() {
    context.due().watch(this);
  }

  /** Looks what time has made due; returns whether there is more to watch. */
  boolean isWatched(long now) {
    if (state != State.OPEN) {
      return false;
    }
    if (bulk.isOverdue(now)) {
      peerBrokeRules("the peer did not leave a landing alone in time");
    }
    if (queue.posted() != sendsSeen) {
      sendsSeen = queue.posted();
      idleSince = now;
    } else if (now - idleSince >= IDLE_NANOS) {
      idle();
    }
    return bulk.isRevoking() || credits.leased() > 0 || blocked;
  }

  /** Nothing was posted for a while: what is leased goes back, and who waits probes the path. */
  private void idle() {
    try {
      if (credits.leased() > 0) {
        sends.giveLeaseBack();
      } else if (blocked) {
        sends.probe();
      }
    } catch (IOException e) {
      fail(words(e));
    }
  }

  void peerSaidFarewell() {
    muted = true;
    if (state == State.DRAINING) {
      reason = "the peer closed the link";
    }
    fail("the peer closed the link");
  }

  /** Counts once for each link, also while it ends: what is left to read of it is read. */
  void peerBrokeRules(String how) {
    if (!brokenByPeer) {
      brokenByPeer = true;
      CLOSED.warn("The link to {} is closed: {}", peerAddress, how);
      context.counters().brokeRules();
    }
    muted = true;
    fail(how);
  }

  // ---- ending ----

  private void fail(String why) {
    switch (state) {
      case OPEN -> {
        reason = why;
        drain();
      }
      case CONNECTING -> {
        reason = why;
        state = State.DRAINING;
        ending.skip();
        context.due().ends(this);
        becomeDue();
      }
      case CLOSING -> drain();
      case DRAINING, CLOSED -> {}
    }
  }

  private void drain() {
    if (state == State.DRAINING || state == State.CLOSED) {
      return;
    }
    if (state != State.CLOSING) {
      context.due().ends(this);
    }
    state = State.DRAINING;
    ending.drain();
    becomeDue();
  }

  /** Steps a link that ends, when it has taken too long. */
  void expire(long now) {
    if (state == State.DRAINING && receives.drainsByTime()) {
      becomeDue();
    }
    if (ending.isOverdue(now)) {
      if (state == State.CLOSING) {
        drain();
      } else {
        becomeDue();
      }
    }
  }

  boolean isClosed() {
    return state == State.CLOSED;
  }

  /** Returns whether the device may still send something for it, such as a farewell. */
  public boolean isSending() {
    return state != State.CLOSED && !ending.isAllSent();
  }

  private int stepDraining() throws IOException {
    int work = deliver() + stepBulk();
    boolean drained = ending.isDrained();
    if (drained || ending.isOverdue(context.clock().nanoTime())) {
      if (!drained && listener != null) {
        context.counters().undrained();
      }
      finish();
      return work + 1;
    }
    return work;
  }

  /** Gives everything back and tells the listener, whether or not the queue pair is drained. */
  public void finish() {
    if (state == State.CLOSED) {
      return;
    }
    state = State.CLOSED;
    if (destroy()) {
      destroyed();
    } else {
      bulk.end(false);
    }
    whenGone.run();
    LinkListener told = listener;
    if (told == null) {
      opening.failed(reason);
    } else {
      context.counters().linkClosed();
      try {
        told.onClosed(reason);
      } catch (RuntimeException e) {
        FAILED.error("The listener of the link to {} failed at its end", peerAddress, e);
      }
    }
  }

  /** The device touches none of the link's memory any more. */
  private void destroyed() {
    sends.release();
    receives.release();
    bulk.end(true);
  }

  /** Memory that a queue pair may still use is kept until that can be destroyed. */
  private boolean destroy() {
    try {
      queuePair.destroy();
      return true;
    } catch (IOException e) {
      if (device.isRemoved()) {
        LOG.debug("The queue pair of the link to {} has gone with its device", peerAddress, e);
        return true;
      }
      UNDESTROYED.error("The queue pair of the link to {} cannot be destroyed", peerAddress, e);
      device.keep(queuePair, this::destroyed);
      return false;
    }
  }

  private static String words(IOException e) {
    return String.valueOf(e.getMessage());
  }

  @Override
  public String toString() {
    return KIND + " link to " + peerAddress + " over " + device.name();
  }
}
