package io.verbena.rdma.link;

import com.ibm.disni.verbs.RdmaCmId;
import io.verbena.core.link.BulkPort;
import io.verbena.core.link.Link;
import io.verbena.core.link.LinkCapabilities;
import io.verbena.core.link.LinkListener;
import io.verbena.core.link.LinkOptions;
import io.verbena.core.link.SendResult;
import io.verbena.core.memory.Quota;
import io.verbena.core.memory.Slot;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.device.CompletionSink;
import io.verbena.rdma.device.Domain;
import io.verbena.rdma.device.QueuePair;
import io.verbena.rdma.device.RdmaDevice;
import io.verbena.rdma.device.SharedReceives;
import io.verbena.rdma.wire.Terms;
import io.verbena.verbs.ext.CompletionBlock;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A link over one queue pair: puts its parts together, and is what others hold of them. {@link
 * LinkLife} has its states, {@link DutyCycle} what it does in each cycle, {@link SendSide}, {@link
 * ReceiveSide} and {@link RdmaBulk} what moves, {@link CreditLedger} how much of it may.
 */
public final class RdmaLink implements Link, CompletionSink {
  private static final Logger LOG = LoggerFactory.getLogger(RdmaLink.class);

  private static final String KIND = "rdma";

  private final LinkContext context;
  private final RdmaDevice device;
  private final LinkOptions options;
  private final Opening opening;
  private final String localAddress;
  private final String peerAddress;
  private final Runnable whenGone;
  private final QueuePair queuePair;
  private final CreditLedger credits;
  private final ReceiveSide receives;
  private final SendSide sends;
  private final RdmaBulk bulk;
  private final Ending ending;
  private final LinkLife life;
  private final LinkFaults faults;
  private final CompletionRouter router;
  private final DutyCycle duty;
  private final LinkMemory memory;
  private LinkCapabilities capabilities;
  private @Nullable LinkListener listener;
  private boolean accepted;

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
    capabilities = new LinkCapabilities(KIND, device.name(), options.maxFrameBytes(), false);
    RdmaSettings settings = context.settings();
    Domain domain = device.enter();
    Receives from = receives(domain);
    credits = new CreditLedger(from.guaranteed(), settings.credits());
    receives = new ReceiveSide(from, credits, settings, device.features());
    int places = SendSide.places(settings.credits());
    int depth = places + BulkSends.PLACES;
    try {
      queuePair = device.attach(domain, id, this, depth, ReceiveSide.depth(settings));
    } catch (IOException e) {
      device.leave(domain);
      throw e;
    }
    SendQueue queue = new SendQueue(queuePair, device.sends(), depth);
    ending = new Ending(context.clock(), peerAddress, queuePair, queue, receives);
    life = new LinkLife(this, context.due(), ending);
    faults = new LinkFaults(life, device, context.counters(), peerAddress);
    Orders orders = new Orders();
    BulkSends writes = new BulkSends(queue, orders, credits, context.counters());
    sends = new SendSide(domain, queue, orders, credits, receives, places, context.counters());
    Quota.Share pins = domain.join(peerAddress);
    Runnable leave =
        () -> {
          pins.leave();
          device.leave(domain);
        };
    bulk = new RdmaBulk(life, faults, domain, pins, sends, writes, context, device, leave);
    router = new CompletionRouter(life, faults, sends, receives, bulk, ending);
    duty = new DutyCycle(life, faults, credits, sends, receives, bulk, options.maxFrameBytes());
    memory = new LinkMemory(device, leave, queuePair, sends, receives, bulk, peerAddress);
    try {
      receives.post(queuePair);
    } catch (IOException e) {
      memory.undo();
      throw e;
    }
  }

  private Receives receives(Domain domain) {
    RdmaSettings settings = context.settings();
    SharedReceives shared = domain.shared();
    return shared == null
        ? new OwnReceives(device.receives(), domain.receivePool(), settings.credits())
        : new LeasedReceives(shared, settings.guaranteedCredits());
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
    if (!isConnecting()) {
      return;
    }
    try {
      queuePair.established();
    } catch (IOException e) {
      faults.postingFailed(e);
      return;
    }
    life.opened();
    context.counters().linkOpened();
    try {
      LinkListener owner = opening.opened(this);
      listener = owner;
      duty.listener(owner);
    } catch (RuntimeException e) {
      faults.notTaken(e);
    }
    step(); // a frame may have come before the event
  }

  /** Returns whether the outcome of opening is not known yet. */
  public boolean isConnecting() {
    return life.state() == LinkLife.State.CONNECTING;
  }

  /** Returns the device it stands on. */
  public RdmaDevice device() {
    return device;
  }

  /** The connection is gone or was never made. */
  public void disconnected(String why) {
    faults.pathLost(why);
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

  @Override
  public SendResult send(Slot frame) {
    capabilities.requireFrame(frame.length());
    if (!life.isOpen()) {
      return SendResult.CLOSED;
    }
    try {
      if (sends.accept(frame)) {
        return SendResult.SENT;
      }
    } catch (IOException e) {
      faults.postingFailed(e);
      return SendResult.CLOSED;
    }
    duty.blocked();
    context.counters().backPressured();
    return SendResult.BACK_PRESSURED;
  }

  @Override
  public void flush() {
    if (life.isOpen()) {
      try {
        sends.flush();
      } catch (IOException e) {
        faults.postingFailed(e);
      }
    }
  }

  @Override
  public BulkPort bulk() {
    return bulk;
  }

  @Override
  public void setReceiving(boolean receiving) {
    life.setReceiving(receiving);
  }

  @Override
  public void close() {
    if (!life.isOpen()) {
      return;
    }
    life.mute();
    flush();
    if (!life.isOpen()) {
      return; // flushing failed
    }
    life.closes();
    try {
      if (sends.sayFarewell()) {
        life.saidFarewell();
        return;
      }
    } catch (IOException e) {
      LOG.debug("No farewell for {}", peerAddress, e);
    }
    life.drain();
  }

  @Override
  public void abort(String why) {
    if (life.isOpen() || isConnecting()) {
      life.mute();
      life.fail(why);
    }
  }

  // ---- CompletionSink ----

  @Override
  public void completed(long workId, CompletionBlock block, int index) {
    router.completed(workId, block, index);
  }

  @Override
  public void refusedPeer(boolean ofAccess) {
    faults.refusedPeer(ofAccess);
  }

  /** There is nothing to drain. */
  @Override
  public void deviceLost(String why) {
    life.fail(why);
    finish();
  }

  // ---- stepping ----

  /** Does what is due, and returns how much that was. */
  int step() {
    life.stepped();
    try {
      return switch (life.state()) {
        case CONNECTING -> stepConnecting();
        case OPEN -> duty.step();
        case CLOSING, CLOSED -> 0;
        case DRAINING -> stepDraining();
      };
    } catch (IOException e) {
      faults.postingFailed(e);
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

  private int stepDraining() throws IOException {
    int work = duty.stepDraining();
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

  /** Looks what time has made due; returns whether there is more to watch. */
  boolean isWatched(long now) {
    return duty.isWatched(now);
  }

  /** Steps a link that ends, when it has taken too long. */
  void expire(long now) {
    life.expire(now);
  }

  boolean isClosed() {
    return life.isClosed();
  }

  // ---- the end ----

  /** Returns whether the device may still send something for it, such as a farewell. */
  public boolean isSending() {
    return !life.isClosed() && !ending.isAllSent();
  }

  /** Gives everything back and tells the listener, whether or not the queue pair is drained. */
  public void finish() {
    if (life.isClosed()) {
      return;
    }
    life.closed();
    memory.giveBack();
    whenGone.run();
    LinkListener told = listener;
    if (told == null) {
      opening.failed(life.reason());
      return;
    }
    context.counters().linkClosed();
    try {
      told.onClosed(life.reason());
    } catch (RuntimeException e) {
      faults.listenerFailedAtEnd(e);
    }
  }

  @Override
  public String toString() {
    return KIND + " link to " + peerAddress + " over " + device.name();
  }
}
