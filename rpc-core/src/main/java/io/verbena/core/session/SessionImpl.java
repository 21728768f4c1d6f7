package io.verbena.core.session;

import io.verbena.api.Peer;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.SessionListener;
import io.verbena.api.SessionPath;
import io.verbena.api.SessionState;
import io.verbena.api.wire.WireOut;
import io.verbena.codec.WireDecoder;
import io.verbena.core.PathPolicy;
import io.verbena.core.SessionLimits;
import io.verbena.core.bulk.BulkContext;
import io.verbena.core.bulk.BulkPath;
import io.verbena.core.bulk.RunOn;
import io.verbena.core.bulk.stat.CutOffs;
import io.verbena.core.bulk.stat.TransferStat;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.OfferedService;
import io.verbena.core.frame.PeerLimits;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Workers;
import io.verbena.core.sequence.Inbox;
import io.verbena.core.sequence.Message;
import io.verbena.core.sequence.Outbox;
import io.verbena.core.sequence.Outgoing;
import io.verbena.core.stat.OnewayStat;
import io.verbena.core.stat.SessionStat;
import io.verbena.link.Link;
import io.verbena.link.LinkCapabilities;
import io.verbena.link.memory.Quota;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What both ends of a session share: numbered messages in and out over one link after another, for
 * the {@link Participant}s that lie on it.
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
@SuppressWarnings("this-escape") // to parts of its own, which do not use it before it is made
public abstract class SessionImpl implements Session, RunOn.Threads {
  private static final int MOST_WORDS = 500;

  private final SessionContext context;
  private final EventLoop loop;
  private final SessionLimits limits;
  private final SessionRole role;
  private final boolean requiresBetterLink;
  private final Outbox outbox;
  private final SessionMemory memory;
  private final Participants participants = new Participants();
  private final SessionLinks links;
  private final Upgrade upgrade;
  private final RailRequests railRequests;
  private final Inbox inbox;
  private final PathCosts pathCosts;
  private final SessionLife life;
  private final Ending ending = new Ending(this);

  /** It is over, or one end takes no more calls; while it is not, no call asks for more. */
  private volatile boolean isLeft;

  private volatile Peer peer = new Peer(Peer.ANONYMOUS, "");

  /** A session without a link, on which nothing lies. */
  protected SessionImpl(SessionContext context, SessionRole role) {
    this.context = context;
    this.loop = context.loop();
    this.limits = context.limits();
    this.role = role;
    this.requiresBetterLink = context.upgrade().policy() == PathPolicy.REQUIRE_RDMA;
    this.memory = new SessionMemory(context, () -> peer().address(), participants);
    this.inbox = memory.inbox();
    this.outbox = new Outbox(context.fragmentSlots(), loop);
    this.links = new SessionLinks(this, participants, outbox, inbox);
    this.pathCosts = new PathCosts(context, outbox, links);
    this.life = new SessionLife(this, context);
    this.upgrade = new Upgrade(links, life);
    this.railRequests = new RailRequests(links, upgrade, life);
    participants.add(ending, upgrade, railRequests);
  }

  /** These lie on it, behind those that do already: when it is made. */
  protected final void carries(Participant... more) {
    participants.add(more);
  }

  /** There is something to do for what lies on it, where there was nothing. */
  public final void turnsChanged() {
    participants.turnsChanged();
  }

  /** Who takes no more calls has changed, or whether the session is over. */
  void leftOrNot() {
    isLeft = life.isEnded() || life.isDraining() || ending.isClosing() || ending.isDraining();
  }

  Participants participants() {
    return participants;
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
    links.start(first, epoch);
    peer = who;
    outbox.peerLimits(limits);
    pathCosts.peerTakes(limits);
    participants.forEach(one -> one.peerTakes(limits));
    upgrade.attached(role.isClient());
    pathChanged();
    participants.forEach(Participant::attached);
    ending.sayDrainIfDue();
    links.schedule();
    return true;
  }

  /** Goes on as it does, with another first link beside the better one that carries the calls. */
  void attachFirst(Link first, int epoch, Peer who) {
    links.replaceControl(first, epoch);
    peer = who;
    pathChanged(); // bulk may have waited for this link
    links.schedule();
  }

  /** Closes and drains every link, so that what was received is final; then goes on. */
  void closeLinks(String reason, Runnable then) {
    upgrade.stop();
    links.stopAcknowledging();
    links.closeAll(reason, then);
  }

  // ---- what the two ends tell one another when it opens ----

  /** Returns what a greeting tells of what this end serves. */
  protected abstract List<OfferedService> greeting();

  /** Has memory for what a peer serves; returns why there is none, or null. */
  protected abstract @Nullable String reserve(List<OfferedService> offered);

  /**
   * The session has opened with a peer that serves these.
   *
   * @param tellsAll whether it tells of all that it serves
   */
  protected abstract void peerServes(List<OfferedService> offered, boolean tellsAll);

  // ---- what becomes of it ----

  /**
   * The peer does not know this session any more: calls it had taken fail, others wait for a new
   * one.
   */
  void forgetPeer(String reason) {
    dropLinks();
    life.peerGone(RpcStatus.UNAVAILABLE, reason);
    leftOrNot();
    participants.forEach(one -> one.peerGone(RpcStatus.UNAVAILABLE, reason, false));
    outbox.restart();
    inbox.restart();
    ending.leavesIfDue();
    if (!role.callsWait()) {
      participants.forEach(one -> one.noNextPeer(reason));
    }
  }

  /** No link can be had now: calls that wait for one fail. */
  void failWaiting(RpcStatus status, String reason) {
    life.goesOverNone(reason);
    participants.forEach(one -> one.noLink(status, reason));
  }

  /** Ends the session: every call in flight ends too. */
  void end(RpcStatus status, String reason) {
    if (life.isEnded()) {
      return;
    }
    dropLinks();
    life.ended(status, reason);
    leftOrNot();
    participants.forEach(one -> one.peerGone(status, reason, true));
    outbox.clear();
    inbox.restart();
    memory.leave();
    role.ended();
    ending.sessionEnded();
  }

  private void dropLinks() {
    upgrade.stop();
    links.stopAcknowledging();
    links.closeGently();
  }

  public Ending ending() {
    return ending;
  }

  /** Returns whether the peer takes no more calls. */
  public boolean peerDrains() {
    return isLeft && life.isDraining();
  }

  /** Returns whether this end takes no more calls. */
  public boolean isDraining() {
    return isLeft && ending.isDraining();
  }

  /** The peer takes no more calls: what was not sent waits for the next. */
  void peerDrains(String reason) {
    life.draining(reason);
    leftOrNot();
    participants.forEach(one -> one.peerDrains(reason));
  }

  /** Returns what this session has of the memory that all share. */
  public SessionMemory memory() {
    return memory;
  }

  public boolean isAttached() {
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

  /** Returns how many answers this end waits for: it sends so many messages in two batches. */
  protected abstract int answersAwaited();

  /** Returns whether something of an ended session's goes on. */
  protected abstract boolean goesOn();

  /** Ends what goes on of an ended session. */
  protected abstract void endWhatGoesOn();

  /** Returns whether something has left that must arrive before the session is closed here. */
  boolean hasToArrive() {
    return participants.any(Participant::hasToArrive);
  }

  SessionLinks links() {
    return links;
  }

  Upgrade upgrade() {
    return upgrade;
  }

  // ---- what becomes of its links, as they tell ----

  boolean isUpgrading() {
    return upgrade.isAttempting();
  }

  void tookRail() {
    upgrade.tookRail();
  }

  void betterLost(String reason) {
    upgrade.lost(reason);
  }

  void railLost() {
    railRequests.lost();
  }

  void linksForgotten() {
    railRequests.stop();
  }

  /** Every link is gone, closed and drained. */
  void controlLost(String reason) {
    if (life.isEnded()) {
      return; // meanwhile: nothing is to resume
    }
    upgrade.stop();
    links.stopAcknowledging();
    life.lost(reason);
    if (!ending.leavesIfDue()) {
      role.linkLost(reason);
    }
  }

  /** Returns whether the session is over. */
  public boolean isEnded() {
    return isLeft && life.isEnded();
  }

  /** Returns whether calls wait to be sent or answered. */
  boolean hasCalls() {
    return participants.any(Participant::wantsLink);
  }

  /** Returns whether handlers run or replies are on their way. */
  boolean isBusy() {
    return !outbox.isEmpty() || participants.any(Participant::isBusy);
  }

  long received() {
    return inbox.received();
  }

  public boolean isClosing() {
    return isLeft && ending.isClosing();
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
    return ending.isClosing() ? SessionState.ENDED : life.state();
  }

  @Override
  public SessionPath path() {
    return ending.isClosing() ? SessionLife.none(Ending.CLOSED) : life.path();
  }

  /** Returns the loop that owns the session. */
  @Override
  public EventLoop loop() {
    return loop;
  }

  /** Returns the session's limits. */
  public SessionLimits limits() {
    return limits;
  }

  public SessionContext context() {
    return context;
  }

  public SessionRole role() {
    return role;
  }

  public Outbox outbox() {
    return outbox;
  }

  public WireDecoder decoder() {
    return links.decoder;
  }

  /** Returns what reads a message's whole body. */
  public WireDecoder decoding(Message message) {
    return links.decoding(message);
  }

  // ---- the path that calls take ----

  /** Returns whether calls may go by the path there is now. */
  public boolean mayCall() {
    return !requiresBetterLink || links.isUpgraded();
  }

  /** Returns whether calls by the path that the peer takes now may be served. */
  public boolean mayServe() {
    return !requiresBetterLink || links.isUpgradedIn();
  }

  /** Returns whether calls by every path may be served. */
  public boolean servesAlways() {
    return !requiresBetterLink;
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
    participants.forEach(Participant::pathChanged);
    SessionLink out = links.out();
    if (out == null) {
      life.goesOverNone(links.whyNotBetter());
      return;
    }
    LinkCapabilities link = out.link.capabilities();
    pathCosts.changed();
    life.goesOver(
        out == links.control()
            ? new SessionPath(link.kind(), joined(link.detail(), links.whyNotBetter()))
            : new SessionPath(link.kind(), links.rails().beside(link.detail())));
    if (links.isUpgraded()) {
      participants.forEach(Participant::upgraded);
      role.upgraded();
    }
  }

  private static String joined(String detail, String reason) {
    return detail.isEmpty() ? reason : detail + "; " + reason;
  }

  // ---- messages ----

  /** Hands a message to whoever it is for, once its values have come. */
  public void deliver(Message message) {
    links.deliver(message);
  }

  /** The peer broke the protocol. It cannot be trusted with the rest of the session either. */
  public void breakOff(String wrong) {
    links.breakOff(wrong);
  }

  /** Sends a message behind all others. */
  public void enqueue(Outgoing message) {
    links.enqueue(message);
  }

  // ---- frames out ----

  /** Returns whether frames may leave now: there is a link to send by. Else sees to one. */
  boolean maySend() {
    if (isLeft && ending.leavesIfDue()) {
      return false;
    }
    for (Participant one : participants.turning) {
      one.beforeFrames();
    }
    if (!links.isOpen()) {
      if (!life.isEnded() && hasCalls()) {
        role.linkWanted();
      }
      return false;
    }
    if (!mayCall() && answersAwaited() > 0 && upgrade.isHopeless()) {
      upgradeFailed(links.whyNotBetter());
    }
    return true;
  }

  /** Returns whether a frame that was taken may let something go on. */
  boolean mayGoOn() {
    for (Participant one : participants.turning) {
      if (one.wantsTurn()) {
        return true;
      }
    }
    return !links.isOpen() || isClosing() || !mayCall();
  }

  /** Sends what there is to send, at the end of this duty cycle. */
  public void schedulePump() {
    links.schedule();
  }

  // ---- the session as its users have it, for any thread but where it says ----

  @Override
  public void listen(SessionListener listener) {
    Objects.requireNonNull(listener);
    loop.execute(() -> life.listen(listener));
  }

  @Override
  public void close() {
    loop.execute(ending::close);
  }

  /**
   * Closes the session, as {@link #close}. Safe for any thread.
   *
   * @return completes when that is done, after 2 s at the latest
   */
  public CompletableFuture<Void> closeInOrder() {
    close();
    return ending.done().copy();
  }

  /** Closes the session without waiting for what is on its way. Safe for any thread. */
  public void closeNow() {
    loop.execute(ending::leave);
  }

  /** Returns the cut-offs of the path there is now. Safe for any thread. */
  public CutOffs cutOffs() {
    return pathCosts.cutOffs();
  }

  /** Returns the session's figures. On the loop. */
  public abstract SessionStat stat();

  /** Returns what is known of a session whose loop does not answer. Safe for any thread. */
  public abstract SessionStat silentStat();

  /** Returns the session's figures, with those of what lies on it. */
  protected final SessionStat stat(
      int callsOut, int callsIn, OnewayStat oneways, List<TransferStat> transfers) {
    SessionLink out = links.out();
    return new SessionStat(
        peer().address(),
        peer().identity(),
        life.state(),
        path().toString(),
        links.toString(),
        callsOut,
        callsIn,
        oneways,
        outbox.owedBytes(),
        life.pathChanges(),
        transfers,
        out == null ? Map.of() : out.link.figures(),
        pathCosts.figures());
  }

  /** Returns what any thread may know. */
  protected final SessionStat silentStat(OnewayStat oneways) {
    String silent = path() + ", but its event loop does not answer";
    return new SessionStat(
        peer().address(),
        peer().identity(),
        state(),
        silent,
        "",
        0,
        0,
        oneways,
        0,
        0,
        List.of(),
        Map.of(),
        pathCosts.figures());
  }

  @Override
  public String toString() {
    return name() + " over " + path();
  }

  /** Returns a text of the peer's as it may be kept, and logged. */
  public static String brief(String text) {
    return text.length() <= MOST_WORDS ? text : text.substring(0, MOST_WORDS) + "…";
  }

  /** Returns the session as logs name it. */
  public String name() {
    return life.name();
  }

  // ---- what objects need of it ----

  @Override
  public Executor handlers() {
    return context.handlers();
  }

  @Override
  public Workers workers() {
    return context.workers();
  }

  /** Returns what the sessions of one client or server share. Safe for any thread. */
  public BulkContext bulkContext() {
    return context.bulk();
  }

  /**
   * Returns what objects may take of pooled memory: on their way in, and read ahead of their way
   * out. Safe for any thread.
   */
  public Quota.Share pooled() {
    return memory.values();
  }

  /**
   * Returns whether this end opened the session: it numbers its transfers apart from the peer's.
   */
  public boolean isClientEnd() {
    return role.isClient();
  }

  /** Returns how many calls the peer may have under way. Safe for any thread. */
  public int mostCalls() {
    return limits.maxCalls();
  }

  /** Sends a numbered frame behind all others. */
  public void sendBulk(FrameKind kind, long transfer, Consumer<WireOut> body) {
    enqueue(ControlFrame.message(kind, transfer, body));
  }

  /** Sends a frame that is not numbered; false if there is no room, or no link. */
  public boolean sayBulk(FrameKind kind, long transfer, Consumer<WireOut> body) {
    SessionLink out = links.out();
    return out != null && out.say(ControlFrame.slot(kind, out.epoch, transfer, body));
  }

  /**
   * Returns the paths that new grants should take, the one that calls take first; empty while there
   * is none. The same list while they are the same.
   */
  public List<BulkPath> bulkPaths() {
    return links.bulkPaths(mayCall());
  }

  /** Returns whether frames go by this path now. */
  public boolean carriesFrames(BulkPath path) {
    SessionLink out = links.out();
    return out != null && out.bulkPath() == path;
  }

  /** An object under way is long enough to be worth further paths. */
  public void wantsPaths() {
    railRequests.wanted();
  }

  /** Returns the path with this epoch, if the session has it now. */
  public @Nullable BulkPath bulkPath(int epoch) {
    SessionLink link = links.withEpoch(epoch);
    return link == null ? null : link.bulkPath();
  }

  /** Returns whether the session has a link. Safe for any thread. */
  public boolean hasLink() {
    SessionState state = state();
    return state == SessionState.OPEN || state == SessionState.DRAINING;
  }

  /** Returns whether the session has a link, and none that moves bulk. */
  public boolean movesNoBulk() {
    return links.isOpen() && !links.moveBulk();
  }
}
