package io.verbena.core.session;

import io.verbena.api.CallOptions;
import io.verbena.api.Peer;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.SessionListener;
import io.verbena.api.SessionPath;
import io.verbena.api.SessionState;
import io.verbena.api.bulk.BulkObjects;
import io.verbena.api.bulk.Landing;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.api.stub.ServiceCaller;
import io.verbena.api.stub.ServiceDescriptor;
import io.verbena.core.PathPolicy;
import io.verbena.core.SessionLimits;
import io.verbena.core.bulk.cost.CutOffs;
import io.verbena.core.bulk.memory.BulkMemory;
import io.verbena.core.bulk.parts.OutgoingParts;
import io.verbena.core.bulk.transfer.CallTransfers;
import io.verbena.core.bulk.transfer.Transfers;
import io.verbena.core.call.CallHost;
import io.verbena.core.call.CallWindow;
import io.verbena.core.call.LandingCall;
import io.verbena.core.call.OnewayCounters;
import io.verbena.core.call.PendingCall;
import io.verbena.core.call.ServerCall;
import io.verbena.core.call.SessionCaller;
import io.verbena.core.codec.WireDecoder;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.OfferedService;
import io.verbena.core.frame.PeerLimits;
import io.verbena.core.link.Link;
import io.verbena.core.link.LinkCapabilities;
import io.verbena.core.log.ThrottledLog;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.memory.Quota;
import io.verbena.core.memory.SlotPool;
import io.verbena.core.memory.SlotShare;
import io.verbena.core.sequence.Inbox;
import io.verbena.core.sequence.Outbox;
import io.verbena.core.sequence.Outgoing;
import io.verbena.core.stat.SessionStat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

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
  private static final ThrottledLog BROKEN_OFF =
      ThrottledLog.of(SessionCore.class, "sessions whose peer broke the protocol");

  private final SessionContext context;
  private final SessionRole role;
  private final FramePump pump;
  private final Outbox outbox;
  private final CallWindow window;
  private final SessionMemory memory;
  private final OutgoingCalls outgoing;
  private final IncomingCalls incoming;
  private final LocalServices services = new LocalServices();
  private final RemoteServices remoteServices;
  private final Lanes lanes;
  private final Upgrade upgrade;
  private final BulkSupport bulk;
  private final IncomingFrames incomingFrames;
  private final PathCosts pathCosts;
  private final SessionLife life;
  private final OnewayCounters oneways;
  private final Drain drain = new Drain(this);
  private final Closing closing = new Closing(this);
  private final Supplier<OutgoingParts> borrowedParts;
  private final Supplier<OutgoingParts> copiedParts;
  private final Supplier<OutgoingParts> resultParts;
  private volatile Peer peer = new Peer(Peer.ANONYMOUS, "");

  SessionCore(SessionContext context, SessionRole role) {
    this.context = context;
    this.role = role;
    this.window = new CallWindow(context.limits().maxCalls());
    this.memory =
        SessionMemory.join(
            context.quotas(), context.slots(), this::peerAddress, this::arrivalsWanted);
    this.outgoing = new OutgoingCalls(this);
    this.incoming = new IncomingCalls(this, services);
    this.remoteServices = new RemoteServices(this);
    this.lanes = new Lanes(this);
    this.pump = new FramePump(context, lanes, new Turns());
    this.outbox = pump.outbox();
    this.upgrade = new Upgrade(this);
    this.bulk = new BulkSupport(this);
    this.incomingFrames = new IncomingFrames(this);
    this.pathCosts = new PathCosts(this);
    this.oneways = new OnewayCounters(context.oneways());
    this.life = new SessionLife(this, context.audience());
    BulkMemory bulkMemory = context.bulk().memory();
    this.borrowedParts = () -> new OutgoingParts(bulkMemory, null, true);
    this.copiedParts = () -> new OutgoingParts(bulkMemory, null, false);
    this.resultParts = () -> new OutgoingParts(bulkMemory, memory.values(), false);
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
    remoteServices.tellNew();
    drain.sayIfDue();
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
    pump.stop();
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
    dropLinks();
    life.peerGone(RpcStatus.UNAVAILABLE, reason);
    drain.peerLost();
    // First, since a call that fails may make its caller try again.
    remoteServices.peerLost(outbox.takeUnsent());
    outgoing.peerLost(reason);
    incoming.peerLost();
    incomingFrames.forgetHeld();
    transfers().peerLost(reason);
    outbox.restart();
    incomingFrames.restart();
    closing.goesOn();
  }

  /** No link can be had now: calls that wait for one fail. */
  void failWaiting(RpcStatus status, String reason) {
    life.goesOverNone(reason);
    outgoing.failWaiting(status, reason);
    transfers().failAll(status, reason, true);
    remoteServices.dropDone();
  }

  /** Ends the session: every call in flight ends too. */
  void end(RpcStatus status, String reason) {
    if (life.isEnded()) {
      return;
    }
    dropLinks();
    life.ended(status, reason);
    outgoing.end(status, reason);
    incoming.peerLost();
    if (status == RpcStatus.CANCELLED) { // closed on this side
      incoming.oneways().end();
    }
    incomingFrames.forgetHeld();
    transfers().end(status, reason);
    remoteServices.peerLost(outbox.takeUnsent());
    outbox.clear();
    incomingFrames.restart();
    memory.leave();
    role.ended();
    closing.ended();
  }

  private void dropLinks() {
    upgrade.stop();
    pump.stop();
    lanes.closeGently();
  }

  /** Takes no more calls, and says so to the peer: those that run go on. */
  void drain(String reason) {
    drain.start(reason);
  }

  /** Returns whether nothing is left to be done before a session that drains ends. */
  boolean isDrained() {
    return !drain.isBusy();
  }

  Drain drain() {
    return drain;
  }

  /** Returns whether the peer takes no more calls. */
  boolean peerDrains() {
    return life.isDraining();
  }

  /** The peer takes no more calls: what was not sent waits for the next. */
  void peerDrains(String reason) {
    life.draining(reason);
    remoteServices.keep(outbox.takeUnsent());
    incoming.oneways().tell();
  }

  private String peerAddress() {
    return peer.address();
  }

  private void arrivalsWanted() {
    incomingFrames.stalls().wanted();
  }

  /** Returns what this session has of the memory that all share. */
  SessionMemory memory() {
    return memory;
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
      life.goesOverNone(upgrade.reason());
      return;
    }
    LinkCapabilities link = out.link().capabilities();
    pathCosts.changed();
    life.goesOver(
        out == lanes.control()
            ? new SessionPath(link.kind(), joined(link.detail(), upgrade.reason()))
            : new SessionPath(link.kind(), link.detail()));
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
    if (life.isEnded()) {
      return; // meanwhile: nothing is to resume
    }
    upgrade.stop();
    pump.stop();
    life.lost(reason);
    if (!closing.goesOn()) {
      role.linkLost(reason);
    }
  }

  boolean isEnded() {
    return life.isEnded();
  }

  /** Returns whether calls wait to be sent or answered. */
  boolean hasCalls() {
    return !outgoing.isEmpty() || transfers().wantsLink();
  }

  /** Returns whether handlers run or replies are on their way. */
  boolean isBusy() {
    return !incoming.isEmpty()
        || incomingFrames.holdsRequests()
        || !outbox.isEmpty()
        || transfers().wantsLink();
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
        life.state(),
        path().toString(),
        lanes.toString(),
        outgoing.underWay(),
        incoming.size(),
        oneways.stat(),
        outbox.owedBytes(),
        life.pathChanges(),
        transfers().stat(),
        out == null ? Map.of() : out.link().figures());
  }

  /** Returns what is known of a session whose loop does not answer. Safe for any thread. */
  public SessionStat silentStat() {
    String silent = path() + ", but its event loop does not answer";
    return new SessionStat(
        peer.address(),
        peer.identity(),
        state(),
        silent,
        "",
        0,
        0,
        oneways.stat(),
        0,
        0,
        List.of(),
        Map.of());
  }

  // ---- frames in ----

  IncomingFrames incomingFrames() {
    return incomingFrames;
  }

  /** The peer broke the protocol. It cannot be trusted with the rest of the session either. */
  void breakOff(String wrong) {
    if (!lanes.isOpen()) {
      return;
    }
    String reason = "protocol error: " + wrong;
    BROKEN_OFF.warn("{} broken off: {}", this, reason);
    closeLinks(reason, () -> {});
    role.peerLost(reason);
  }

  // ---- frames out ----

  FramePump pump() {
    return pump;
  }

  /** Sends what there is to send, at the end of this duty cycle. */
  void schedulePump() {
    pump.schedule();
  }

  /** What the pump has of the session. */
  private final class Turns implements FramePump.Turns {
    @Override
    public boolean areWanted() {
      return !lanes.isOpen()
          || incoming.hasWaiting()
          || transfers().wantsLink()
          || closing.isOn()
          || !mayCall();
    }

    @Override
    public boolean begin() {
      if (closing.goesOn()) {
        return false;
      }
      incoming.startWaiting(); // what the peer has taken may be what they wait for
      if (!lanes.isOpen()) {
        if (!life.isEnded() && hasCalls()) {
          role.linkWanted();
        }
        return false;
      }
      if (!mayCall() && !outgoing.isEmpty()) {
        upgrade.wanted();
      }
      return true;
    }

    @Override
    public void sendBulk() {
      transfers().pump();
    }

    @Override
    public int calls() {
      return outgoing.size();
    }

    @Override
    public Inbox inbox() {
      return incomingFrames.inbox();
    }
  }

  // ---- CallHost ----

  @Override
  public void start(PendingCall<?> call) {
    if (life.isEnded() || closing.isOn()) {
      call.fail(RpcStatus.UNAVAILABLE, "the session is closed: " + path().reason());
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
  public @Nullable String obstacle() {
    return lanes.isOpen() ? null : role.obstacle();
  }

  @Override
  public CallTransfers.AwaitedAnswer awaitAnswer(LandingCall call, Landing into) {
    String name = call.method().fullName();
    return transfers().calls().await(call.id(), name, into, call::received, call::answerFailed);
  }

  @Override
  public long partCutOff() {
    return pathCosts.cutOffs().beside();
  }

  @Override
  public Supplier<OutgoingParts> resultParts() {
    return resultParts;
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
  public void onewayUnsent(RpcException failure) {
    outgoing.onewayUnsent(failure);
  }

  @Override
  public void execute(ServerCall call) {
    incoming.oneways().execute(call);
  }

  /** Returns where one-way calls are counted that were not simply executed. Safe for any thread. */
  OnewayCounters oneways() {
    return oneways;
  }

  @Override
  public void enqueue(Outgoing message) {
    outbox.add(message);
    schedulePump();
  }

  @Override
  public Quota.Share replyMemory() {
    return memory.replies();
  }

  @Override
  public void awaitDeadline(ServerCall call) {
    incoming.awaitDeadline(call);
  }

  @Override
  public boolean mayStart(ServerCall call) {
    return incoming.mayStart(call);
  }

  @Override
  public boolean mayRun(ServerCall call) {
    return incoming.mayRun(call);
  }

  @Override
  public void putOff(ServerCall call) {
    incoming.putOff(call);
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
  public SlotShare slotShare() {
    return memory.slots();
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
  public SessionState state() {
    return closing.isOn() ? SessionState.ENDED : life.state();
  }

  @Override
  public SessionPath path() {
    return closing.isOn() ? SessionLife.none(Closing.REASON) : life.path();
  }

  @Override
  public void listen(SessionListener listener) {
    Objects.requireNonNull(listener);
    loop().execute(() -> life.listen(listener));
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
    return new SessionCaller(this, options);
  }

  /**
   * Finds out whether the peer serves a contract, with every method in a shape that fits. Safe for
   * any thread.
   *
   * @return what is in the way, in words; cancelled if the peer is lost meanwhile
   */
  public CompletableFuture<List<String>> check(ServiceDescriptor<?> service) {
    CompletableFuture<List<String>> problems = new CompletableFuture<>();
    loop().execute(() -> remoteServices.check(service, problems));
    return problems;
  }

  @Override
  public void close() {
    loop().execute(closing::begin);
  }

  /**
   * Closes the session, as {@link #close}. Safe for any thread.
   *
   * @return completes when that is done, after 2 s at the latest
   */
  public CompletableFuture<Void> closeInOrder() {
    close();
    return closing.done().copy();
  }

  /** Closes the session without waiting for what is on its way. Safe for any thread. */
  public void closeNow() {
    loop().execute(closing::finish);
  }

  /** Tells the peer that this end closes the session. */
  void sayGoodbye() {
    Lane first = lanes.control() == null ? lanes.out() : lanes.control();
    if (first != null) {
      incoming.oneways().tell();
      pump.run(); // what was sent before still goes
      first.say(FrameKind.GOODBYE);
      first.link().flush();
    }
  }

  @Override
  public String toString() {
    return name() + " over " + path();
  }

  /** Returns the session as logs name it. */
  String name() {
    return "session with " + peer.address();
  }
}
