package io.verbena.core.session;

import io.verbena.api.CallOptions;
import io.verbena.api.Peer;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.SessionListener;
import io.verbena.api.SessionPath;
import io.verbena.api.SessionState;
import io.verbena.api.bulk.BulkObjects;
import io.verbena.api.stub.Schema;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.api.stub.ServiceCaller;
import io.verbena.api.stub.ServiceDescriptor;
import io.verbena.codec.WireDecoder;
import io.verbena.core.PathPolicy;
import io.verbena.core.SessionLimits;
import io.verbena.core.bulk.cost.CutOffs;
import io.verbena.core.bulk.transfer.Transfers;
import io.verbena.core.call.CallWindow;
import io.verbena.core.call.SessionCaller;
import io.verbena.core.frame.OfferedService;
import io.verbena.core.frame.PeerLimits;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.sequence.Inbox;
import io.verbena.core.sequence.Outbox;
import io.verbena.core.sequence.Outgoing;
import io.verbena.core.stat.SessionStat;
import io.verbena.link.Link;
import io.verbena.link.LinkCapabilities;
import io.verbena.link.runtime.ThrottledLog;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

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
 *
 * <p>It is long, since it is where the parts of a session find one another; each has its own work
 * elsewhere.
 */
public final class SessionImpl implements Session {
  private static final ThrottledLog BROKEN_OFF =
      ThrottledLog.of(SessionImpl.class, "sessions whose peer broke the protocol");

  private final SessionContext context;
  private final SessionRole role;
  private final boolean requiresBetterLink;
  private final FramePump pump;
  private final Outbox outbox;
  private final SessionMemory memory;
  private final SessionCalls calls;
  private final LocalServices services = new LocalServices();
  private final RemoteServices remoteServices;
  private final SessionLinks links;
  private final Upgrade upgrade;
  private final BulkSupport bulk;
  private final IncomingFrames incomingFrames;
  private final PathCosts pathCosts;
  private final SessionLife life;
  private final Drain drain = new Drain(this);
  private final Closing closing = new Closing(this);
  private volatile Peer peer = new Peer(Peer.ANONYMOUS, "");

  SessionImpl(SessionContext context, SessionRole role) {
    this.context = context;
    this.role = role;
    this.requiresBetterLink = context.upgrade().policy() == PathPolicy.REQUIRE_RDMA;
    this.memory =
        SessionMemory.join(
            context.quotas(), context.slots(), this::peerAddress, this::arrivalsWanted);
    this.calls = new SessionCalls(this, services);
    this.remoteServices = new RemoteServices(this);
    this.links = new SessionLinks(this);
    this.outbox = new Outbox(context.fragmentSlots(), context.loop());
    this.upgrade = new Upgrade(this);
    this.bulk = new BulkSupport(this);
    this.incomingFrames = new IncomingFrames(this);
    this.pump = new FramePump(this, links, outbox, incomingFrames.inbox());
    this.pathCosts = new PathCosts(this);
    this.life = new SessionLife(this);
  }

  // ---- links: called by the role, on the loop ----

  /**
   * Goes on over a new first link. No other is open: see {@link #closeLinks}.
   *
   * @param received what the peer has received in this session so far
   * @return false if the peer's account of the session cannot be true
   */
  boolean attach(Link first, int epoch, long received, PeerLimits limits, Peer who) {
    if (!outbox.resume(received)) {
      return false;
    }
    SessionLink sessionLink = new SessionLink(this, first, epoch);
    first.listener(sessionLink);
    links.start(sessionLink);
    peer = who;
    outbox.peerLimits(limits);
    calls.window().peerTakes(limits.maxCalls());
    upgrade.attached(role.isClient());
    pathChanged();
    remoteServices.tellNew();
    drain.sayIfDue();
    schedulePump();
    return true;
  }

  /** Goes on as it does, with another first link beside the better one that carries the calls. */
  void attachFirst(Link first, int epoch, Peer who) {
    SessionLink sessionLink = new SessionLink(this, first, epoch);
    first.listener(sessionLink);
    links.replaceControl(sessionLink);
    peer = who;
    pathChanged(); // bulk may have waited for this link
    schedulePump();
  }

  /** Closes and drains every link, so that what was received is final; then goes on. */
  void closeLinks(String reason, Runnable then) {
    upgrade.stop();
    pump.stop();
    links.closeAll(reason, then);
  }

  /**
   * Says what the peer serves, as it told when the session opened.
   *
   * @param tellsAll whether it tells of all that it serves
   */
  void peerServes(List<OfferedService> offered, boolean tellsAll) {
    remoteServices.replace(offered, tellsAll);
  }

  /** Serves what every session of a server serves. */
  void services(LocalServices shared, boolean tellsAll) {
    remoteServices.serveAll(shared, tellsAll);
  }

  /**
   * The peer does not know this session any more: calls it had taken fail, others wait for a new
   * one.
   */
  void forgetPeer(String reason) {
    dropLinks();
    life.peerGone(RpcStatus.UNAVAILABLE, reason);
    drain.peerLost();
    upgrade.peerLost();
    // First, since a call that fails may make its caller try again.
    remoteServices.peerLost(outbox.takeUnsent());
    calls.outgoing().peerLost(reason);
    calls.peerLost(RpcStatus.UNAVAILABLE, reason);
    incomingFrames.forgetHeld();
    transfers().peerLost(reason);
    outbox.restart();
    incomingFrames.restart();
    closing.goesOn();
    if (!role.callsWait()) {
      calls.outgoing().failWaiting(RpcStatus.UNAVAILABLE, reason);
      remoteServices.dropDone();
    }
  }

  /** No link can be had now: calls that wait for one fail. */
  void failWaiting(RpcStatus status, String reason) {
    life.goesOverNone(reason);
    calls.outgoing().failWaiting(status, reason);
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
    calls.outgoing().end(status, reason);
    calls.peerLost(status, reason);
    if (status == RpcStatus.CANCELLED) { // closed on this side
      calls.incoming().oneways().end();
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
    links.closeGently();
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
    calls.incoming().oneways().tell();
    remoteServices.sendEarly();
    if (!role.callsWait()) {
      calls.outgoing().failRefused(RpcStatus.UNAVAILABLE, "the peer shuts down: " + reason);
      remoteServices.dropDone();
    }
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
    return links.isOpen();
  }

  /** Returns whether links that were given up are still being drained: all resumes after that. */
  boolean isDrainingLinks() {
    return links.isClosing();
  }

  /** Returns whether the session's first link is to be made, or made again. */
  boolean lacksFirstLink() {
    return links.control() == null;
  }

  Transfers transfers() {
    return bulk.transfers();
  }

  SessionLinks links() {
    return links;
  }

  Upgrade upgrade() {
    return upgrade;
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
    return !calls.outgoing().isEmpty() || transfers().wantsLink();
  }

  /** Returns whether handlers run or replies are on their way. */
  boolean isBusy() {
    return !calls.incoming().isEmpty()
        || incomingFrames.holdsRequests()
        || !outbox.isEmpty()
        || transfers().wantsLink();
  }

  long received() {
    return inbox().received();
  }

  SessionLife life() {
    return life;
  }

  Closing closing() {
    return closing;
  }

  boolean isClosing() {
    return closing.isOn();
  }

  SessionCalls calls() {
    return calls;
  }

  @Override
  public BulkObjects objects() {
    return bulk.objects();
  }

  /** Returns what the path there is now costs. */
  public PathCosts pathCosts() {
    return pathCosts;
  }

  @Override
  public Peer peer() {
    return peer;
  }

  @Override
  public SessionState state() {
    return closing.isOn() ? SessionState.ENDED : life.state();
  }

  @Override
  public SessionPath path() {
    return closing.isOn() ? SessionLife.none(Closing.REASON) : life.path();
  }

  /** Returns the loop that owns the session. */
  public EventLoop loop() {
    return context.loop();
  }

  /** Returns the session's limits. */
  public SessionLimits limits() {
    return context.limits();
  }

  SessionContext context() {
    return context;
  }

  IncomingCalls incomingCalls() {
    return calls.incoming();
  }

  OutgoingCalls outgoingCalls() {
    return calls.outgoing();
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

  // ---- the path that calls take ----

  /** Returns whether calls may go by the path there is now. */
  boolean mayCall() {
    return !requiresBetterLink || links.isUpgraded();
  }

  /** Returns whether calls by the path that the peer takes now may be served. */
  boolean mayServe() {
    return !requiresBetterLink || links.isUpgradedIn();
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
    SessionLink out = links.out();
    if (out == null) {
      life.goesOverNone(upgrade.reason());
      return;
    }
    LinkCapabilities link = out.link().capabilities();
    pathCosts.changed();
    life.goesOver(
        out == links.control()
            ? new SessionPath(link.kind(), joined(link.detail(), upgrade.reason()))
            : new SessionPath(link.kind(), link.detail()));
    if (links.isUpgraded()) {
      remoteServices.sendEarly();
      role.upgraded();
    }
  }

  private static String joined(String detail, String reason) {
    return detail.isEmpty() ? reason : detail + "; " + reason;
  }

  // ---- frames in ----

  IncomingFrames incomingFrames() {
    return incomingFrames;
  }

  /** The peer broke the protocol. It cannot be trusted with the rest of the session either. */
  void breakOff(String wrong) {
    giveUp("protocol error: " + wrong);
  }

  /** The session cannot go on: this end does not know any more what it has done of it. */
  void giveUp(String reason) {
    if (!links.isOpen()) {
      return;
    }
    BROKEN_OFF.warn("{} broken off: {}", this, reason);
    closeLinks(reason, () -> {});
    role.peerLost(reason);
  }

  // ---- frames out ----

  FramePump pump() {
    return pump;
  }

  /** Returns whether the pump has a turn: there is a link to send by. Else sees to one. */
  boolean maySend() {
    if (closing.goesOn()) {
      return false;
    }
    calls.incoming().startWaiting(); // what the peer has taken may be what they wait for
    if (!links.isOpen()) {
      if (!life.isEnded() && hasCalls()) {
        role.linkWanted();
      }
      return false;
    }
    if (!mayCall() && !calls.outgoing().isEmpty()) {
      upgrade.wanted();
    }
    return true;
  }

  /** Returns whether an acknowledgement may let something go on. */
  boolean mayGoOn() {
    return !links.isOpen()
        || calls.incoming().hasWaiting()
        || transfers().wantsLink()
        || closing.isOn()
        || !mayCall();
  }

  /** Sends a message behind all others. */
  void enqueue(Outgoing message) {
    transfers().tellSenders();
    outbox.add(message);
    schedulePump();
  }

  /** Sends what there is to send, at the end of this duty cycle. */
  void schedulePump() {
    pump.schedule();
  }

  // ---- the session as its users have it, for any thread but where it says ----

  @Override
  public void listen(SessionListener listener) {
    Objects.requireNonNull(listener);
    context.loop().execute(() -> life.listen(listener));
  }

  @Override
  public void serve(ServiceBinding binding) {
    remoteServices.serve(binding);
  }

  @Override
  public ServiceCaller caller(ServiceDescriptor<?> service, CallOptions options) {
    remoteServices.expect(service);
    return SessionCaller.of(calls, options);
  }

  /**
   * Finds out whether the peer serves a contract, with every method in a shape that fits. Safe for
   * any thread.
   *
   * @return what is in the way, in words; fails with an {@link io.verbena.api.RpcException}
   *     UNIMPLEMENTED where the peer does not serve it; cancelled if the peer is lost meanwhile
   */
  public CompletableFuture<List<String>> check(ServiceDescriptor<?> service) {
    CompletableFuture<List<String>> problems = new CompletableFuture<>();
    context.loop().execute(() -> remoteServices.check(service, problems));
    return problems;
  }

  /**
   * Finds out which services the peer serves. Safe for any thread.
   *
   * @return their names, sorted; cancelled if the session is not open
   */
  public CompletableFuture<List<String>> peerServices() {
    CompletableFuture<List<String>> names = new CompletableFuture<>();
    context.loop().execute(() -> remoteServices.names(names));
    return names;
  }

  /**
   * Asks the peer for what its contract of a service says on the wire. Safe for any thread.
   *
   * @return the schema; fails with an {@link io.verbena.api.RpcException} UNIMPLEMENTED where the
   *     peer does not serve it; cancelled if the session is not open, or the peer lost meanwhile
   */
  public CompletableFuture<Schema> peerSchema(String service) {
    CompletableFuture<Schema> schema = new CompletableFuture<>();
    context.loop().execute(() -> remoteServices.read(service, schema));
    return schema;
  }

  @Override
  public void close() {
    context.loop().execute(closing::begin);
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
    context.loop().execute(closing::finish);
  }

  /** Returns the cut-offs of the path there is now. Safe for any thread. */
  public CutOffs cutOffs() {
    return pathCosts.cutOffs();
  }

  /** Returns the session's figures. On the loop. */
  public SessionStat stat() {
    SessionLink out = links.out();
    return new SessionStat(
        peer().address(),
        peer().identity(),
        life.state(),
        path().toString(),
        links.toString(),
        calls.outgoing().underWay(),
        calls.incoming().size(),
        calls.oneways().stat(),
        outbox.owedBytes(),
        life.pathChanges(),
        transfers().stat(),
        out == null ? Map.of() : out.link().figures(),
        pathCosts.figures());
  }

  /** Returns what is known of a session whose loop does not answer. Safe for any thread. */
  public SessionStat silentStat() {
    String silent = path() + ", but its event loop does not answer";
    return new SessionStat(
        peer().address(),
        peer().identity(),
        state(),
        silent,
        "",
        0,
        0,
        calls.oneways().stat(),
        0,
        0,
        List.of(),
        Map.of(),
        pathCosts.figures());
  }

  /** Returns the window of calls under way. */
  public CallWindow window() {
    return calls.window();
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
