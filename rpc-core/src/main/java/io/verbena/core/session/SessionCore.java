package io.verbena.core.session;

import io.verbena.api.CallOptions;
import io.verbena.api.Path;
import io.verbena.api.Peer;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.bulk.BulkObjects;
import io.verbena.api.bulk.Landing;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.api.stub.ServiceCaller;
import io.verbena.api.stub.ServiceDescriptor;
import io.verbena.core.PathPolicy;
import io.verbena.core.SessionLimits;
import io.verbena.core.bulk.BulkMemory;
import io.verbena.core.bulk.CallTransfers;
import io.verbena.core.bulk.CutOffs;
import io.verbena.core.bulk.OutgoingParts;
import io.verbena.core.bulk.Transfers;
import io.verbena.core.call.CallHost;
import io.verbena.core.call.CallWindow;
import io.verbena.core.call.PendingCall;
import io.verbena.core.call.ServerCall;
import io.verbena.core.call.SessionCaller;
import io.verbena.core.codec.WireDecoder;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.OfferedService;
import io.verbena.core.frame.PeerLimits;
import io.verbena.core.link.Link;
import io.verbena.core.link.LinkCapabilities;
import io.verbena.core.loop.Command;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.memory.Slot;
import io.verbena.core.memory.SlotPool;
import io.verbena.core.sequence.Inbox;
import io.verbena.core.sequence.Outbox;
import io.verbena.core.sequence.Outgoing;
import io.verbena.core.stat.SessionStat;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What both ends of a session share: frames in and out over one link after another, and the calls
 * both ways.
 *
 * <pre>
 *   DETACHED ──attach──→ ATTACHED ──links lost──→ DETACHED (resumes: nothing is lost, nothing twice)
 *                            ├──first link lost──→ ATTACHED by the better one, until attachFirst
 *                            └──peer lost──→ DETACHED, numbers and calls of the old peer forgotten
 *   any ──end──→ ENDED
 * </pre>
 */
public final class SessionCore implements Session, CallHost {
  private static final Logger LOG = LoggerFactory.getLogger(SessionCore.class);

  private static final int CALLS_IN_BATCH = 32;
  private static final int ANSWERS_IN_BATCH = 128;

  private final SessionContext context;
  private final SessionRole role;
  private final Outbox outbox;
  private final CallWindow window;
  private final OutgoingCalls outgoing;
  private final IncomingCalls incoming;
  private final LocalServices services = new LocalServices();
  private final RemoteServices remoteServices;
  private final Lanes lanes;
  private final Upgrade upgrade;
  private final BulkSupport bulk;
  private final IncomingFrames incomingFrames;
  private final PathCosts pathCosts;
  private final Acknowledger acknowledger;
  private final Supplier<OutgoingParts> borrowedParts;
  private final Supplier<OutgoingParts> copiedParts;
  private final Command pump = this::pump;
  private boolean pumpDue;
  private boolean ended;
  private long pathChanges;
  private volatile Path path = new Path("none", "not connected yet");
  private volatile Peer peer = new Peer(Peer.ANONYMOUS, "");

  SessionCore(SessionContext context, SessionRole role) {
    this.context = context;
    this.role = role;
    this.outbox = new Outbox(context.fragmentSlots(), this::stamp);
    this.window = new CallWindow(context.limits().maxCalls());
    this.outgoing = new OutgoingCalls(this);
    this.incoming = new IncomingCalls(this, services);
    this.remoteServices = new RemoteServices(this);
    this.lanes = new Lanes(this);
    this.upgrade = new Upgrade(this);
    this.bulk = new BulkSupport(this);
    this.incomingFrames = new IncomingFrames(this);
    this.acknowledger = new Acknowledger(this);
    this.pathCosts = new PathCosts(this);
    BulkMemory bulkMemory = context.bulk().memory();
    this.borrowedParts = () -> new OutgoingParts(bulkMemory, true);
    this.copiedParts = () -> new OutgoingParts(bulkMemory, false);
  }

  // ---- links: called by the role, on the loop ----

  /**
   * Goes on over a new first link. No other is open: see {@link #closeLinks}.
   *
   * @param received what the peer has received in this session so far
   * @return false if the peer's account of the session cannot be true
   */
  boolean attach(Link first, LinkPort port, int epoch, long received, PeerLimits limits, Peer who) {
    if (!outbox.resume(received)) {
      return false;
    }
    Lane lane = new Lane(this, first, epoch);
    port.handTo(lane);
    lanes.start(lane);
    peer = who;
    outbox.peerLimits(limits);
    window.peerTakes(limits.maxCalls());
    upgrade.attached(role.isClient());
    pathChanged();
    schedulePump();
    return true;
  }

  /** Goes on as it does, with another first link beside the better one that carries the calls. */
  void attachFirst(Link first, LinkPort port, int epoch, Peer who) {
    Lane lane = new Lane(this, first, epoch);
    port.handTo(lane);
    lanes.replaceControl(lane);
    peer = who;
    pathChanged(); // bulk may have waited for this link
    schedulePump();
  }

  /** Closes and drains every link, so that what was received is final; then goes on. */
  void closeLinks(String reason, Runnable then) {
    upgrade.stop();
    acknowledger.stop();
    lanes.closeAll(reason, then);
  }

  /** Says what the peer serves, as it told when the session opened. */
  void peerServes(List<OfferedService> offered) {
    remoteServices.replace(offered);
  }

  /** Serves what every session of a server serves. */
  void services(LocalServices shared) {
    remoteServices.serveAll(shared);
  }

  /**
   * The peer does not know this session any more: calls it had taken fail, others wait for a new
   * one.
   */
  void forgetPeer(String reason) {
    dropLinks(reason);
    // First, since a call that fails may make its caller try again.
    remoteServices.peerLost(outbox.takeUnsent());
    outgoing.peerLost(reason);
    incoming.peerLost();
    incomingFrames.forgetHeld();
    transfers().peerLost(reason);
    outbox.restart();
    incomingFrames.restart();
  }

  /** No link can be had now: calls that wait for one fail. */
  void failWaiting(RpcStatus status, String reason) {
    path = new Path("none", reason);
    outgoing.failWaiting(status, reason);
    transfers().failAll(status, reason, lanes.isOpen());
    remoteServices.dropDone();
  }

  /** Ends the session: every call in flight ends too. */
  void end(RpcStatus status, String reason) {
    if (ended) {
      return;
    }
    ended = true;
    dropLinks(reason);
    outgoing.end(status, reason);
    incoming.peerLost();
    incomingFrames.forgetHeld();
    transfers().end(status, reason);
    remoteServices.peerLost(outbox.takeUnsent());
    outbox.clear();
    incomingFrames.restart();
    role.ended();
  }

  private void dropLinks(String reason) {
    upgrade.stop();
    acknowledger.stop();
    lanes.closeGently();
    path = new Path("none", reason);
  }

  boolean isAttached() {
    return lanes.isOpen();
  }

  /** Returns whether links that were given up are still being drained: all resumes after that. */
  boolean isDrainingLinks() {
    return lanes.isClosing();
  }

  /** Returns whether the session's first link is to be made, or made again. */
  boolean lacksFirstLink() {
    return lanes.control() == null;
  }

  Transfers transfers() {
    return bulk.transfers();
  }

  boolean isClientEnd() {
    return role.isClient();
  }

  Lanes lanes() {
    return lanes;
  }

  Upgrade upgrade() {
    return upgrade;
  }

  /** Returns a number for a link that this session has not used yet. */
  int nextEpoch() {
    return role.nextEpoch();
  }

  /** Returns whether calls may go by the path there is now. */
  boolean mayCall() {
    return context.upgrade().policy() != PathPolicy.REQUIRE_RDMA || lanes.isUpgraded();
  }

  /** Returns whether calls by the path that the peer takes now may be served. */
  boolean mayServe() {
    return context.upgrade().policy() != PathPolicy.REQUIRE_RDMA || lanes.isUpgradedIn();
  }

  /** A better link is not to be had now: what must not go without fails. */
  void upgradeFailed(String reason) {
    if (!mayCall() && isAttached()) {
      String why = "RDMA is required, and not to be had: " + reason;
      failWaiting(RpcStatus.UNAVAILABLE, why);
      role.upgradeFailed(why);
    }
  }

  /** The path has changed, or why it is what it is. */
  void pathChanged() {
    transfers().pathsChanged();
    Lane out = lanes.out();
    if (out == null) {
      path = new Path("none", upgrade.reason());
      return;
    }
    LinkCapabilities link = out.link().capabilities();
    pathCosts.changed();
    Path now =
        out == lanes.control()
            ? new Path(link.kind(), joined(link.detail(), upgrade.reason()))
            : new Path(link.kind(), link.detail());
    if (!now.equals(path)) {
      LOG.info("{} now goes over {}", this, now);
      path = now;
      pathChanges++;
    }
    if (lanes.isUpgraded()) {
      remoteServices.sendEarly();
      role.upgraded();
    }
  }

  private static String joined(String detail, String reason) {
    return detail.isEmpty() ? reason : detail + "; " + reason;
  }

  /** The first link is gone; calls stay on the better one for as long as a session may resume. */
  void firstLinkLost(String reason) {
    role.linkLost(reason);
  }

  /** Every link is gone, closed and drained. */
  void controlLost(String reason) {
    if (ended) {
      return; // meanwhile: nothing is to resume
    }
    upgrade.stop();
    acknowledger.stop();
    path = new Path("none", reason);
    role.linkLost(reason);
  }

  boolean isEnded() {
    return ended;
  }

  /** Gives the peer back the places of the one-way calls that are done. */
  void tellOnewaysDone() {
    incoming.tellOnewaysDone();
  }

  /** Returns whether calls wait to be sent or answered. */
  boolean hasCalls() {
    return !outgoing.isEmpty() || transfers().wantsLink();
  }

  /** Returns whether handlers run or replies are on their way. */
  boolean isBusy() {
    return !incoming.isEmpty() || !outbox.isEmpty() || transfers().wantsLink();
  }

  long received() {
    return inbox().received();
  }

  SessionContext context() {
    return context;
  }

  IncomingCalls incomingCalls() {
    return incoming;
  }

  OutgoingCalls outgoingCalls() {
    return outgoing;
  }

  LocalServices services() {
    return services;
  }

  RemoteServices remoteServices() {
    return remoteServices;
  }

  SessionRole role() {
    return role;
  }

  Inbox inbox() {
    return incomingFrames.inbox();
  }

  Outbox outbox() {
    return outbox;
  }

  WireDecoder decoder() {
    return incomingFrames.decoder();
  }

  // ---- for those who watch ----

  /** Returns the session's figures. On the loop. */
  public SessionStat stat() {
    Lane out = lanes.out();
    return new SessionStat(
        peer.address(),
        peer.identity(),
        path.toString(),
        lanes.toString(),
        outgoing.size(),
        incoming.size(),
        outbox.owedBytes(),
        pathChanges,
        transfers().stat(),
        out == null ? Map.of() : out.link().figures());
  }

  /** Returns what is known of a session whose loop does not answer. Safe for any thread. */
  public SessionStat silentStat() {
    String silent = path + ", but its event loop does not answer";
    return new SessionStat(
        peer.address(), peer.identity(), silent, "", 0, 0, 0, 0, List.of(), Map.of());
  }

  // ---- frames in ----

  void onFrame(Lane lane, ByteBuffer buffer, int from, int to) {
    incomingFrames.onFrame(lane, buffer, from, to);
    if (pumpDue && hasBatch()) {
      pump();
    }
  }

  /** The peer broke the protocol. It cannot be trusted with the rest of the session either. */
  void breakOff(String wrong) {
    if (!lanes.isOpen()) {
      return;
    }
    String reason = "protocol error: " + wrong;
    LOG.warn("{} broken off: {}", this, reason);
    closeLinks(reason, () -> {});
    role.peerLost(reason);
  }

  // ---- frames out ----

  private void stamp(Slot slot) {
    Lane out = lanes.out();
    if (out != null) {
      stamp(slot, out);
    }
  }

  /** Sets what is only known when a frame goes to a link. */
  void stamp(Slot slot, Lane lane) {
    FrameHeader.stamp(slot.content(), lane.epoch(), inbox().received());
    outgoing.stampDeadline(slot);
  }

  /** Sends what there is to send, at the end of this duty cycle. */
  void schedulePump() {
    if (!pumpDue) {
      pumpDue = true;
      context.loop().atCycleEnd(pump);
    }
  }

  /**
   * Returns whether so much waits that the peer is better given it now, in the middle of a duty
   * cycle, to work on meanwhile; else the two ends work by turns. Of its own calls an end sends the
   * first half while it makes the second. Measured on loopback, with 64 and 256 calls outstanding:
   * that makes a third more calls; each write costs as much as about ten.
   */
  private boolean hasBatch() {
    int batch =
        outgoing.isEmpty() ? ANSWERS_IN_BATCH : Math.max(CALLS_IN_BATCH, outgoing.size() / 2);
    return outbox.waiting() >= batch;
  }

  private void pump() {
    pumpDue = false;
    if (!lanes.isOpen()) {
      if (!ended && hasCalls()) {
        role.linkWanted();
      }
      return;
    }
    if (!mayCall() && !outgoing.isEmpty()) {
      upgrade.wanted();
    }
    lanes.sayWhatIsDue();
    Lane out = lanes.out();
    if (out != null) {
      if (!lanes.isChanging() && outbox.pump(out.link()) > 0) {
        inbox().acknowledged();
      }
      acknowledger.afterPump();
    }
    transfers().pump();
    flush(lanes.control());
    if (lanes.out() != lanes.control()) {
      flush(lanes.out());
    }
  }

  private static void flush(@Nullable Lane lane) {
    if (lane != null) {
      lane.link().flush();
    }
  }

  /** Sends an acknowledgement of its own; where the link takes nothing now, it is still owed. */
  void acknowledge() {
    Lane out = lanes.out();
    if (out != null && out.say(FrameKind.ACK)) {
      inbox().acknowledged();
    }
  }

  // ---- CallHost ----

  @Override
  public void start(PendingCall<?> call) {
    if (ended) {
      call.fail(RpcStatus.UNAVAILABLE, "the session is closed: " + path.reason());
      call.close();
      window.release();
      return;
    }
    outgoing.start(call);
    remoteServices.send(call);
  }

  @Override
  public void abandoned(PendingCall<?> call) {
    outgoing.abandoned(call);
  }

  @Override
  public CallTransfers.AwaitedAnswer awaitAnswer(PendingCall<?> call, Landing into) {
    String name = call.method().fullName();
    return transfers().calls().await(call.id(), name, into, call::received, call::answerFailed);
  }

  @Override
  public long partCutOff() {
    return pathCosts.cutOffs().beside();
  }

  @Override
  public Supplier<OutgoingParts> parts(boolean borrows) {
    return borrows ? borrowedParts : copiedParts;
  }

  @Override
  public void sendParts(
      long callId, MethodDescriptor<?> method, boolean request, OutgoingParts parts) {
    transfers().calls().sendParts(callId, request, method.fullName(), parts);
  }

  @Override
  public void onewaySent(PendingCall<?> call) {
    outgoing.onewaySent(call);
  }

  @Override
  public void enqueue(Outgoing message) {
    outbox.add(message);
    schedulePump();
  }

  @Override
  public void replied(ServerCall call) {
    incoming.replied(call);
  }

  @Override
  public void reusable(ServerCall call) {
    incoming.reusable(call);
  }

  @Override
  public long lastAcknowledged() {
    return outbox.acknowledged();
  }

  @Override
  public EventLoop loop() {
    return context.loop();
  }

  @Override
  public Session session() {
    return this;
  }

  @Override
  public SessionLimits limits() {
    return context.limits();
  }

  @Override
  public SlotPool slots() {
    return context.slots();
  }

  @Override
  public Executor handlers() {
    return context.handlers();
  }

  @Override
  public CallWindow window() {
    return window;
  }

  /** Returns what the path there is now costs. */
  public PathCosts pathCosts() {
    return pathCosts;
  }

  /** Returns the cut-offs of the path there is now. Safe for any thread. */
  public CutOffs cutOffs() {
    return pathCosts.cutOffs();
  }

  // ---- Session ----

  @Override
  public Path path() {
    return path;
  }

  @Override
  public Peer peer() {
    return peer;
  }

  @Override
  public BulkObjects objects() {
    return bulk.objects();
  }

  @Override
  public void serve(ServiceBinding binding) {
    remoteServices.serve(binding);
  }

  @Override
  public ServiceCaller caller(ServiceDescriptor<?> service, CallOptions options) {
    remoteServices.expect(service);
    return new SessionCaller(this, service.name(), options);
  }

  @Override
  public void close() {
    loop()
        .execute(
            () -> {
              Lane first = lanes.control() == null ? lanes.out() : lanes.control();
              if (first != null) {
                first.say(FrameKind.GOODBYE);
                first.link().flush();
              }
              end(RpcStatus.CANCELLED, "the session was closed on this side");
            });
  }

  @Override
  public String toString() {
    return "session with " + peer.address() + " over " + path;
  }
}
