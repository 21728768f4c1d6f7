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
import io.verbena.core.bulk.BulkPath;
import io.verbena.core.bulk.RunOn;
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
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The part of a session that both ends share. It sends and receives numbered messages over one link
 * after another, for its {@link Participant}s.
 *
 * <pre>
 *   DETACHED ──attach──→ ATTACHED ──links lost──→ DETACHED (resumes: nothing is lost, nothing twice)
 *                            ├──first link lost──→ ATTACHED by the better one, until attachFirst
 *                            └──peer lost──→ DETACHED, numbers and calls of the old peer forgotten
 *   any ──end──→ ENDED
 * </pre>
 *
 * <p>The class is long, because the parts of a session are connected here. Each part does its own
 * work in its own class.
 */
@SuppressWarnings("this-escape") // only to its own parts, which do not use it before it is complete
public abstract class SessionImpl implements Session, RunOn.Threads, EventLoop.Tenant {
  private static final int MOST_WORDS = 500;

  private final SessionContext context;
  private final EventLoop loop;
  private final SessionLimits limits;
  private final SessionRole role;
  private final boolean requiresBetterLink;
  private final Outbox outbox;
  private final SessionMemory memory;
  final Participants participants = new Participants();
  final SessionLinks links;
  final Upgrade upgrade;
  private final RailRequests railRequests;
  private final Inbox inbox;
  private final PathCosts pathCosts;
  private final SessionLife life;
  private final Ending ending = new Ending(this);

  /**
   * Whether the session is over, or one end accepts no more calls. While it is false, a call needs
   * no further check.
   */
  private volatile boolean isLeft;

  private volatile Peer peer = new Peer(Peer.ANONYMOUS, "");

  protected SessionImpl(SessionContext context, SessionRole role) {
    this.context = context;
    this.loop = context.loop();
    this.limits = context.limits();
    this.role = role;
    this.requiresBetterLink = context.upgrade().policy() == PathPolicy.REQUIRE_RDMA;
    this.memory = new SessionMemory(context, () -> peer().address(), participants);
    this.inbox = memory.inbox;
    this.outbox = new Outbox(context.fragmentSlots(), loop);
    this.links = new SessionLinks(this, participants, outbox, inbox);
    this.pathCosts = new PathCosts(context, links);
    this.life = new SessionLife(this, context);
    this.upgrade = new Upgrade(links, life);
    this.railRequests = new RailRequests(links, upgrade, life);
    participants.add(ending, upgrade, railRequests);
  }

  /** Adds participants after the present ones, while the session is being made. */
  protected final void addParticipants(Participant... more) {
    participants.add(more);
  }

  /** A participant has work now, and had none before. */
  public final void turnsChanged() {
    participants.turnsChanged();
    if (loop.isSteppedByCaller()) {
      loop.execute(() -> {}); // recalls the loop's own thread for such work
    }
  }

  /** An end has stopped accepting calls, or the session has ended. */
  void leftOrNot() {
    isLeft = life.isEnded() || life.isDraining() || ending.isClosing() || ending.isDraining();
  }

  // ---- links: called by the role, on the loop ----

  /**
   * Continues over a new first link. No other link is open; see {@link #closeLinks}.
   *
   * @param received the number of frames that the peer has received in this session
   * @return false if that number is impossible
   */
  boolean attach(Link first, int epoch, long received, PeerLimits limits, Peer who) {
    if (!outbox.resume(received)) {
      return false;
    }
    links.start(first, epoch);
    loop.addTenant(this);
    peer = who;
    outbox.peerLimits(limits);
    pathCosts.peerTakes(limits);
    participants.forEach(one -> one.peerTakes(limits));
    upgrade.linked();
    pathChanged();
    participants.forEach(Participant::attached);
    ending.sendDrainIfDue();
    links.schedule();
    return true;
  }

  /** Adds another first link beside the better link, which carries the calls. */
  void attachFirst(Link first, int epoch, Peer who) {
    links.replaceControl(first, epoch);
    peer = who;
    pathChanged(); // bulk bytes may have waited for this link
    links.schedule();
  }

  /**
   * Closes and drains every link, so that the number of received frames is final. Then it runs an
   * action.
   */
  void closeLinks(String reason, Runnable then) {
    upgrade.stop();
    links.stopAcknowledging();
    links.closeAll(reason, then);
  }

  // ---- the services in the greeting ----

  /** Returns the services of this end for a greeting. */
  protected abstract List<OfferedService> greeting();

  /** Reserves memory for a peer's services. Returns the reason if there is none, else null. */
  protected abstract @Nullable String reserve(List<OfferedService> offered);

  /**
   * The session has opened with a peer that serves these.
   *
   * @param tellsAll whether the list contains all its services
   */
  protected abstract void peerServes(List<OfferedService> offered, boolean tellsAll);

  // ---- state ----

  /**
   * The peer does not know this session any more. Calls that it had received fail, others wait for
   * a new session.
   */
  void forgetPeer(String reason) {
    dropLinks();
    life.peerGone(RpcStatus.UNAVAILABLE, reason);
    leftOrNot();
    participants.forEach(one -> one.peerGone(RpcStatus.UNAVAILABLE, reason, false));
    outbox.restart();
    inbox.restart();
    links.forgetPeer();
    ending.leavesIfDue();
    if (!role.callsWait()) {
      participants.forEach(one -> one.noNextPeer(reason));
    }
  }

  /** No link is available now. Calls that wait for one fail. */
  void failWaiting(RpcStatus status, String reason) {
    life.useNoPath(reason);
    participants.forEach(one -> one.noLink(status, reason));
  }

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
    loop.removeTenant(this);
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

  /** Returns whether the peer accepts no more calls. */
  public boolean peerDrains() {
    return isLeft && life.isDraining();
  }

  /** Returns whether this end accepts no more calls. */
  public boolean isDraining() {
    return isLeft && ending.isDraining();
  }

  /** The peer accepts no more calls. Unsent calls wait for the next peer. */
  void peerDrains(String reason) {
    life.draining(reason);
    leftOrNot();
    participants.forEach(one -> one.peerDrains(reason));
  }

  public SessionMemory memory() {
    return memory;
  }

  /** Returns the first link; null while there is none. On the loop. */
  public @Nullable Link firstLink() {
    SessionLink first = links.control();
    return first == null ? null : first.link;
  }

  public boolean isAttached() {
    return links.isOpen();
  }

  /**
   * Returns the number of answers that this end waits for. It sends as many messages in two
   * batches.
   */
  protected abstract int answersAwaited();

  /** Returns whether work of an ended session still runs. */
  protected abstract boolean goesOn();

  /** Ends work of an ended session. */
  protected abstract void endWhatGoesOn();

  // ---- events of links ----

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
    railRequests.backOff();
  }

  void linksForgotten() {
    railRequests.stop();
  }

  /** Every link is gone, closed and drained. */
  void controlLost(String reason) {
    if (life.isEnded()) {
      return; // ended meanwhile: there is nothing to resume
    }
    upgrade.stop();
    links.stopAcknowledging();
    life.lost(reason);
    if (!ending.leavesIfDue()) {
      role.linkLost(reason);
    }
  }

  public boolean isEnded() {
    return isLeft && life.isEnded();
  }

  /** Returns whether calls wait to be sent or answered. */
  boolean hasCalls() {
    return participants.any(Participant::wantsLink);
  }

  /** Returns whether handlers run or replies are in flight. */
  boolean isBusy() {
    return !outbox.isEmpty() || participants.any(Participant::isBusy);
  }

  @Override
  public boolean isOnlyForBlockingCalls() {
    return role.isClient()
        && !isLeft
        && links.areSettled()
        && !upgrade.isAttempting()
        && participants.turning.length == 0
        && !participants.any(Participant::keepsLoop);
  }

  long received() {
    return inbox.received();
  }

  public boolean isClosing() {
    return isLeft && ending.isClosing();
  }

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

  @Override
  public EventLoop loop() {
    return loop;
  }

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

  /** Returns a decoder for a message's whole body. */
  public WireDecoder decoding(Message message) {
    return links.decoding(message);
  }

  // ---- the path that calls take ----

  /** Returns whether calls may use the present path. */
  public boolean mayCall() {
    return !requiresBetterLink || links.isUpgraded();
  }

  /** Returns whether calls over the peer's present path may be served. */
  public boolean mayServe() {
    return !requiresBetterLink || links.isUpgradedIn();
  }

  /** Returns whether calls over every path may be served. */
  public boolean servesAlways() {
    return !requiresBetterLink;
  }

  /** No better link is available now. Calls that require one fail. */
  void upgradeFailed(String reason) {
    if (!mayCall() && isAttached()) {
      String why = "RDMA is required and not available: " + reason;
      failWaiting(RpcStatus.UNAVAILABLE, why);
      role.upgradeFailed(why);
    }
  }

  /** The path has changed, or the reason for it. */
  void pathChanged() {
    participants.forEach(Participant::pathChanged);
    SessionLink out = links.out();
    if (out == null) {
      life.useNoPath(links.whyNotBetter());
      return;
    }
    LinkCapabilities link = out.link.capabilities();
    pathCosts.changed();
    life.usePath(
        out == links.control()
            ? new SessionPath(link.kind(), joined(link.detail(), links.whyNotBetter()))
            : new SessionPath(link.kind(), links.rails.beside(link.detail())));
    if (links.isUpgraded()) {
      participants.forEach(Participant::upgraded);
      role.upgraded();
    }
  }

  private static String joined(String detail, String reason) {
    return detail.isEmpty() ? reason : detail + "; " + reason;
  }

  // ---- messages ----

  /** Delivers a message to its participant when its large values have arrived. */
  public void deliver(Message message) {
    links.deliver(message);
  }

  /** The peer broke the protocol, so the session ends. */
  public void breakOff(String wrong) {
    links.breakOff(wrong);
  }

  /** Queues a message after all others. */
  public void enqueue(Outgoing message) {
    links.enqueue(message);
  }

  // ---- frames out ----

  /** Returns whether frames can be sent now. Requests a link if there is none. */
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

  /** Returns whether a frame that the link accepted may let other work continue. */
  boolean mayGoOn() {
    for (Participant one : participants.turning) {
      if (one.wantsTurn()) {
        return true;
      }
    }
    return !links.isOpen() || isClosing() || !mayCall();
  }

  /** Sends queued frames at the end of this duty cycle. */
  public void schedulePump() {
    links.schedule();
  }

  // ---- the interface for users; for any thread unless it says otherwise ----

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
   * Closes the session as {@link #close} does. Safe for use by any thread.
   *
   * @return completes when the session is closed, after 2 s at the latest
   */
  public CompletableFuture<Void> closeInOrder() {
    close();
    return ending.done.copy();
  }

  /** Closes the session without waiting for messages in flight. Safe for use by any thread. */
  public void closeNow() {
    loop.execute(ending::leave);
  }

  /** Returns the session's figures. On the loop. */
  public abstract SessionStat stat();

  /**
   * Returns the known figures of a session whose loop does not answer. Safe for use by any thread.
   */
  public abstract SessionStat silentStat();

  /** Returns the session's figures with those of its participants. */
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

  /** Returns the figures that any thread may read. */
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

  /** Returns a text of the peer, shortened for keeping and logging. */
  public static String brief(String text) {
    return shortened(text, MOST_WORDS);
  }

  /** Makes any text short and well-formed. */
  public static String shortened(String text, int most) {
    String kept = text.length() <= most ? text : text.substring(0, most) + "…";
    // Half a surrogate pair, which shortening may leave, cannot be encoded. It becomes a '?'.
    return new String(kept.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
  }

  public String name() {
    return life.name();
  }

  // ---- for transfers of objects ----

  @Override
  public Executor handlers() {
    return context.handlers();
  }

  @Override
  public Workers workers() {
    return context.workers();
  }

  /** Queues a numbered frame after all others. */
  public void sendBulk(FrameKind kind, long transfer, Consumer<WireOut> body) {
    enqueue(ControlFrame.message(kind, transfer, body));
  }

  /** Sends a frame without a number. Returns false if there is no room or no link. */
  public boolean trySendBulk(FrameKind kind, long transfer, Consumer<WireOut> body) {
    SessionLink out = links.out();
    return out != null && out.send(ControlFrame.slot(kind, out.epoch, transfer, body));
  }

  /**
   * Returns the paths for new grants, the path of calls first; empty while there is none. The list
   * stays the same object until it changes.
   */
  public List<BulkPath> bulkPaths() {
    return links.bulkPaths(mayCall());
  }

  /** Returns whether frames use this path now. */
  public boolean carriesFrames(BulkPath path) {
    SessionLink out = links.out();
    return out != null && out.bulkPath() == path;
  }

  /** A transfer is large enough for further paths. */
  public void requestPaths() {
    railRequests.wanted();
  }

  /** Returns the path with this epoch; null if the session does not have it now. */
  public @Nullable BulkPath bulkPath(int epoch) {
    SessionLink link = links.withEpoch(epoch);
    return link == null ? null : link.bulkPath();
  }

  /** Returns whether the session has a link. Safe for use by any thread. */
  public boolean hasLink() {
    SessionState state = state();
    return state == SessionState.OPEN || state == SessionState.DRAINING;
  }

  /** Returns whether the session has links, but none that moves bulk bytes. */
  public boolean movesNoBulk() {
    return links.isOpen() && !links.moveBulk();
  }
}
