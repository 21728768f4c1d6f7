package io.verbena.core.session;

import io.verbena.api.wire.WireException;
import io.verbena.api.wire.WireIn;
import io.verbena.codec.WireDecoder;
import io.verbena.core.bulk.BulkPath;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.loop.Command;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Timers;
import io.verbena.core.sequence.Inbox;
import io.verbena.core.sequence.Message;
import io.verbena.core.sequence.Outbox;
import io.verbena.core.sequence.Outgoing;
import io.verbena.link.Link;
import io.verbena.link.runtime.ThrottledLog;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The links of one session: the first link, which stays open as the control link, and the better
 * link of an upgrade. In each direction numbered frames use one of them.
 *
 * <p>Queued frames are sent at the end of a duty cycle, followed by a chunk of each transfer in
 * turn. Every frame acknowledges the received frames. A separate acknowledgement is sent when many
 * frames wait for one, or when no frame was sent for a while.
 *
 * <pre>
 *   change of path, separately for each direction:
 *     sender    PATH_CHANGED {epoch, last} on the first link ─→ then numbers last+1 … on the better one
 *     receiver  holds back the better link's frames until the marker and all up to last have come
 *
 *   settling, when the better link dies:
 *     each end  its own link closed and drained ─→ SETTLE {epoch, received} on the first link
 *     each end  sent and received SETTLE ─→ sends received+1 … on the first link
 *
 *   the better link dies, and a rail replaces it after settling:
 *     client    reads nothing from the rail; PATH_CHANGED for it on the first link, then holds back
 *               numbered frames
 *     server    uses the rail: PATH_CHANGED for it on the first link, then sends over it
 *     client    receives that marker, then reads from the rail and sends over it, too
 *
 *   the first link dies alone:
 *     if both directions use the better link, it carries the calls while the client makes
 *     another first link; otherwise, or if that takes too long, the better link ends, too
 * </pre>
 *
 * <p>On the loop.
 */
final class SessionLinks implements Command, Timers.Timer {
  private static final Logger LOG = LoggerFactory.getLogger(SessionLinks.class);
  private static final int NONE = 0;
  private static final int CALLS_IN_BATCH = 32;
  private static final int ANSWERS_IN_BATCH = 128;
  private static final long LONGEST_DELAY_NANOS = 20_000_000;

  /** The reason why calls use no better link, until there is another reason. */
  static final String NOT_YET = "not upgraded yet";

  private static final ThrottledLog BROKEN_OFF =
      ThrottledLog.of(SessionImpl.class, "sessions whose peer broke the protocol");

  final SessionContext context;
  final SessionRole role;
  final Participants participants;
  final Outbox outbox;
  final Inbox inbox;
  final WireDecoder decoder = new WireDecoder();
  private final SessionImpl session;
  private final EventLoop loop;
  private final AcknowledgementWatch watch;
  final Rails rails = new Rails();
  private final List<SessionLink> closing = new ArrayList<>();
  private @Nullable SessionLink control;
  private @Nullable SessionLink better;
  private @Nullable SessionLink out;
  private @Nullable SessionLink in;
  private boolean markerDue;

  /**
   * Whether the better link was a rail. Objects use it already, while messages are being moved to
   * it.
   */
  private boolean wasRail;

  /**
   * Whether the peer has yet to confirm that a rail carries messages. No numbered frame is sent
   * meanwhile.
   */
  private boolean awaitsMarker;

  private String whyNotBetter = NOT_YET;

  private int peerChangedTo = NONE;
  private int settlingEpoch = NONE;
  private boolean settleDue;
  private boolean settleSaid;
  private long peerReceived = -1;
  private @Nullable Runnable whenAllClosed;
  private @Nullable Runnable afterMessage;

  /** Whether queued frames will be sent at the end of this duty cycle. */
  private boolean due;

  private long acknowledgeTimer = Timers.NONE;

  SessionLinks(SessionImpl session, Participants participants, Outbox outbox, Inbox inbox) {
    this.session = session;
    this.context = session.context();
    this.role = session.role();
    this.loop = context.loop();
    this.participants = participants;
    this.outbox = outbox;
    this.inbox = inbox;
    this.watch = new AcknowledgementWatch(outbox);
  }

  void start(Link link, int epoch) {
    SessionLink first = new SessionLink(this, link, epoch);
    link.listener(first);
    control = first;
    out = first;
    in = first;
    noBetter();
    peerChangedTo = NONE;
    endSettling();
    watch.skip(loop.now());
    if (watch.isOverdue(first.mostSilentNanos())) {
      loop.execute(() -> endIfOverdue(first)); // later, because the session is being attached
    }
  }

  private void noBetter() {
    better = null;
    markerDue = false;
    wasRail = false;
    awaitsMarker = false;
  }

  @Nullable SessionLink control() {
    return control;
  }

  /** Returns the link for sending; null while there is none. */
  @Nullable SessionLink out() {
    return out;
  }

  /** Returns the better link, even if it carries nothing yet; null while there is none. */
  @Nullable SessionLink better() {
    return better;
  }

  /**
   * Returns the present paths for objects: the better link and its rails, else the first link. The
   * list stays the same object until it changes.
   *
   * @param byFirst whether the first link may be used
   */
  List<BulkPath> bulkPaths(boolean byFirst) {
    SessionLink main = isUpgraded() || wasRail ? better : null;
    BulkPath path = main == null ? null : main.bulkPath();
    SessionLink first = control;
    if (path == null && rails.paths.isEmpty() && byFirst && first != null) {
      path = first.bulkPath();
    }
    return rails.pathsBeside(path);
  }

  /** Returns whether any link moves bulk bytes. */
  boolean moveBulk() {
    return (control != null && control.link.bulk() != null)
        || (better != null && better.link.bulk() != null);
  }

  /** Returns the link with this epoch; null if the session does not have it now. */
  @Nullable SessionLink withEpoch(int epoch) {
    SessionLink first = control;
    if (first != null && first.epoch == epoch) {
      return first;
    }
    SessionLink second = better;
    return second != null && second.epoch == epoch ? second : rails.withEpoch(epoch);
  }

  /** Returns whether numbered frames may arrive over this link now. */
  boolean carriesIn(SessionLink sessionLink) {
    return sessionLink == in;
  }

  boolean isOpen() {
    return control != null || better != null;
  }

  /** Returns whether all links were aborted, and some are still being drained. */
  boolean isClosingAll() {
    return whenAllClosed != null;
  }

  /**
   * Returns the epoch of the better link if it carries both directions and no change or settling is
   * in progress, so that the first link is not needed for now; else 0.
   */
  int settledEpoch() {
    SessionLink next = better;
    return next != null && isUpgraded() && !markerDue && settlingEpoch == NONE ? next.epoch : NONE;
  }

  /** Returns whether one path carries both directions, and nothing of the links is in progress. */
  boolean areSettled() {
    return control != null
        && afterMessage == null
        && settlingEpoch == NONE
        && !markerDue
        && !awaitsMarker
        && in == out
        && closing.isEmpty()
        && rails.open.isEmpty();
  }

  /** Adds another first link beside the better link, which continues. */
  void replaceControl(Link link, int epoch) {
    SessionLink old = control;
    control = new SessionLink(this, link, epoch);
    link.listener(control);
    if (old != null) {
      old.forget();
      old.link.abort("the peer has made another first link");
    }
  }

  /** Returns whether both directions use the better link. */
  boolean isUpgraded() {
    return better != null && out == better && in == better;
  }

  /** Returns whether the peer sends over the better link. */
  boolean isUpgradedIn() {
    return better != null && in == better;
  }

  // ---- change of path ----

  /**
   * A better link is open. This end sends over it from now on. Frames that arrive over it wait for
   * the peer's marker.
   */
  void upgrade(SessionLink next) {
    if (control == null || better != null) {
      next.discard();
      return;
    }
    better = next;
    markerDue = true;
    wasRail = false;
    if (peerChangedTo == next.epoch) {
      in = next;
    } else {
      next.link.setReceiving(false);
    }
    sendWhatIsDue();
  }

  /**
   * Moves messages from the first link to a rail, if there is one. Only the client does so. Returns
   * whether they will move.
   */
  boolean ridesRail() {
    boolean settled = better == null && settlingEpoch == NONE && out == control && in == control;
    boolean may = role.isClient() && settled && !session.isUpgrading();
    SessionLink rail = may && control != null ? rails.takeAny() : null;
    if (rail != null) {
      takeAsBetter(rail);
      awaitsMarker = true;
      rail.link.setReceiving(false);
      sendWhatIsDue();
    }
    return rail != null;
  }

  /** Handles a sign of life from the peer. If the link is a rail, it is open at both ends. */
  void heard(SessionLink sessionLink) {
    if (rails.heard(sessionLink)) {
      LOG.debug("{} now uses {} beside its better link", session, sessionLink);
      if (!ridesRail()) {
        session.pathChanged();
      }
    }
  }

  private void takeAsBetter(SessionLink rail) {
    LOG.debug("{} replaces its better link by {}", session, rail);
    better = rail;
    wasRail = true;
    markerDue = true;
    session.tookRail();
  }

  /** Sends a marker or a settlement for which the link had no room before. */
  private void sendWhatIsDue() {
    SessionLink first = control;
    SessionLink next = better;
    if (first == null) {
      return;
    }
    if (markerDue && next != null && outbox.finish(first.link, first.epoch, inbox.received())) {
      if (send(first, FrameKind.PATH_CHANGED, next.epoch, outbox.lastSent())) {
        markerDue = false;
        if (!awaitsMarker) {
          out = next;
          session.pathChanged();
        }
      }
    }
    if (settleDue && send(first, FrameKind.SETTLE, settlingEpoch, inbox.received())) {
      settleDue = false;
      settleSaid = true;
      settleIfBothDid();
    }
  }

  private static boolean send(SessionLink first, FrameKind kind, int aboutEpoch, long number) {
    return first.send(
        ControlFrame.slot(
            kind,
            first.epoch,
            0,
            body -> {
              body.writeInt(aboutEpoch);
              body.writeLong(number);
            }));
  }

  /** Handles the peer's change of path. Returns the breach of the protocol, or null. */
  @Nullable String peerChanged(WireIn body) {
    int epoch = body.readInt();
    long last = body.readLong();
    if (last > inbox.received() || in != control) {
      return "a change of path after frame "
          + last
          + ", but frame "
          + inbox.received()
          + " was the last";
    }
    if (better == null) {
      SessionLink rail = rails.take(epoch);
      if (rail != null) {
        takeAsBetter(rail);
      }
    }
    SessionLink next = better;
    in = null;
    peerChangedTo = epoch;
    if (next != null && next.epoch == epoch) {
      in = next;
      next.link.setReceiving(true);
      if (awaitsMarker) {
        awaitsMarker = false;
        out = next;
        schedule();
      } else {
        sendWhatIsDue();
      }
      session.pathChanged();
    }
    return null;
  }

  // ---- settling ----

  /** Handles the loss of a link at the peer's end. Returns the breach of the protocol, or null. */
  @Nullable String peerSettles(WireIn body) {
    int epoch = body.readInt();
    long received = body.readLong();
    peerReceived = received;
    settlingEpoch = epoch;
    SessionLink dying = better;
    if (dying != null && dying.epoch == epoch) {
      dying.link.abort("the peer's end of this link is gone");
    } else {
      settle(epoch);
    }
    return null;
  }

  /**
   * Does this end's part of settling. The link is closed and drained, so the number of received
   * frames is final.
   */
  private void settle(int epoch) {
    settlingEpoch = epoch;
    out = null;
    if (in != control) {
      in = null; // otherwise the peer still sends over the first link, until it receives this
    }
    markerDue = false;
    awaitsMarker = false;
    peerChangedTo = NONE;
    if (!settleSaid) {
      settleDue = true;
      sendWhatIsDue();
    } else {
      settleIfBothDid();
    }
  }

  private void settleIfBothDid() {
    if (!settleSaid || peerReceived < 0) {
      return;
    }
    // The peer may since have received, and acknowledged, more over the first link.
    long received = Math.max(peerReceived, outbox.acknowledged());
    endSettling();
    peerChangedTo = NONE;
    out = control;
    in = control;
    if (outbox.resume(received)) {
      schedule();
      if (rails.paths.isEmpty()) {
        FallbackLog.wentBack(session.name(), whyNotBetter);
      }
      if (!ridesRail()) {
        session.pathChanged();
      }
    } else {
      breakOff("the peer settles at frame " + received + ", which is impossible");
    }
  }

  private void endSettling() {
    settlingEpoch = NONE;
    settleDue = false;
    settleSaid = false;
    peerReceived = -1;
  }

  // ---- reasons for no better link ----

  /** Returns the last reason why calls use no better link, even if they use one now. */
  String whyNotBetter() {
    return whyNotBetter;
  }

  void setNoBetter(String why) {
    whyNotBetter = why;
  }

  /** No better link is available now. Calls that wait for one fail. */
  void failedToUpgrade(String why) {
    setNoBetter(why);
    session.pathChanged();
    session.upgradeFailed(why);
  }

  /**
   * Returns the reason for the end of a better link. A common cause of several ends replaces the
   * link's own reason.
   */
  String whyEnded(String said) {
    String broke = loop.breakingUpgrades();
    return broke == null ? said : broke;
  }

  // ---- messages ----

  void enqueue(Outgoing message) {
    for (Participant one : participants.turning) {
      one.beforeMessage();
    }
    outbox.add(message);
    schedule();
  }

  WireDecoder decoding(Message message) {
    decoder.start(message.buffer(), message.from(), message.to(), context.limits().maxDepth());
    return decoder;
  }

  /** Runs an action once, after the next message that is delivered; null: none. */
  void afterMessage(@Nullable Runnable action) {
    afterMessage = action;
  }

  /** Delivers a message to its participant, when it has arrived with its large values. */
  void deliver(Message message) {
    FrameKind kind = message.kind();
    String wrong;
    MemorySegment[] values = message.values();
    if (values != null) {
      decoder.largeValues(values);
    }
    try {
      Participant taker = participants.takers.get(kind);
      wrong =
          taker == null
              ? kind + " as a message"
              : message.isWhole() || kind.isOfCall() ? taker.take(message) : partOf(message);
    } catch (WireException e) {
      wrong = e.getMessage();
    } catch (OutOfMemoryError e) {
      giveUp(kind + " could not be taken: " + Inbox.NO_HEAP);
      return;
    } finally {
      if (values != null) {
        decoder.largeValues(null);
      }
      message.release();
    }
    if (wrong != null) {
      breakOff(wrong);
      return;
    }
    Runnable next = afterMessage;
    if (next != null) {
      afterMessage = null;
      next.run();
    }
  }

  private static String partOf(Message message) {
    return message.dropped() == null
        ? message.kind() + " with values beside it"
        : message.kind() + " of " + message.length() + " bytes";
  }

  void breakOff(String wrong) {
    giveUp("protocol error: " + wrong);
  }

  /** The next peer is another one. */
  void forgetPeer() {
    watch.restart();
  }

  /** Time has passed on an open link. If this process was paused, that is not the peer's fault. */
  void timePassed(SessionLink sessionLink, long now, boolean paused) {
    if (paused) {
      watch.skip(now);
    } else {
      watch.look(now);
      endIfOverdue(sessionLink);
    }
  }

  /** Ends the session if the peer acknowledges nothing. It would keep the memory of its replies. */
  private void endIfOverdue(SessionLink sessionLink) {
    if (watch.isOverdue(sessionLink.mostSilentNanos())) {
      giveUp(
          "the peer is alive, and has acknowledged nothing for "
              + watch.waitedMillis()
              + " ms of what was sent to it");
    }
  }

  /** Ends the session, because this end has lost part of its state, or has no use for its peer. */
  void giveUp(String reason) {
    if (isOpen()) {
      BROKEN_OFF.warn("{} broken off: {}", session, reason);
      session.closeLinks(reason, () -> {});
      role.peerLost(reason);
    }
  }

  // ---- the times of sending ----

  void schedule() {
    if (!due) {
      loop.atCycleEnd(this);
      due = true; // set last: if the heap is full, the next call tries again
    }
  }

  /**
   * The link has accepted a frame. Sends frames that could not be sent before, or that make a
   * batch.
   */
  void frameTaken() {
    if (due) {
      if (hasBatch()) {
        run();
      }
    } else if (inbox.owesMuch()
        || !outbox.isAllSent()
        || markerDue
        || settleDue
        || session.mayGoOn()) {
      schedule();
    } else {
      acknowledgeLater();
    }
  }

  /**
   * Returns whether enough frames wait to send them in the middle of a duty cycle. The peer can
   * then work on them at the same time; otherwise the two ends would work by turns. An end sends
   * the first half of its own calls while it makes the second. On loopback, with 64 and 256 calls
   * in flight, this gives a third more calls. Each write costs about as much as ten calls.
   */
  private boolean hasBatch() {
    int waiting = outbox.waiting();
    if (waiting < CALLS_IN_BATCH) {
      return false; // regardless of the kind of frames
    }
    int calls = session.answersAwaited();
    return waiting >= (calls == 0 ? ANSWERS_IN_BATCH : Math.max(CALLS_IN_BATCH, calls / 2));
  }

  // ---- the order of sending ----

  /** Sends queued frames. */
  @Override
  public void run() {
    due = false;
    if (!session.maySend()) {
      return;
    }
    sendWhatIsDue();
    sendFrames();
    if (participants.turning.length > 0) {
      int waiting = outbox.waiting();
      participants.afterFrames();
      if (outbox.waiting() > waiting) {
        sendFrames(); // frames about the bulk bytes that were just sent
      }
    }
    flush(control);
    if (out != control) {
      flush(out);
    }
    for (int i = 0; i < rails.open.size(); i++) {
      flush(rails.open.get(i));
    }
  }

  private void sendFrames() {
    SessionLink by = out;
    if (by == null) {
      return;
    }
    if (!markerDue && !awaitsMarker && outbox.pump(by.link, by.epoch, inbox.received()) > 0) {
      inbox.acknowledged();
    }
    if (inbox.owesMuch()) {
      acknowledge();
    } else {
      acknowledgeLater();
    }
  }

  private static void flush(@Nullable SessionLink sessionLink) {
    if (sessionLink != null) {
      sessionLink.link.flush();
    }
  }

  /** Starts the timer for an acknowledgement, so that it is sent even if no frame is. */
  private void acknowledgeLater() {
    if (acknowledgeTimer == Timers.NONE && inbox.owes()) {
      acknowledgeTimer = loop.timers().schedule(loop.now() + LONGEST_DELAY_NANOS, this);
    }
  }

  @Override
  public void onTimer(long nowNanos) {
    acknowledgeTimer = Timers.NONE;
    if (inbox.owes()) {
      acknowledge();
    }
  }

  /** Sends a separate acknowledgement. If the link has no room now, it stays due. */
  private void acknowledge() {
    SessionLink by = out;
    if (by != null && by.send(FrameKind.ACK)) {
      inbox.acknowledged();
    }
  }

  /** Stops the timer for acknowledgements, because there is no link. */
  void stopAcknowledging() {
    loop.timers().cancel(acknowledgeTimer);
    acknowledgeTimer = Timers.NONE;
  }

  // ---- closing ----

  /** A link is closed, and nothing uses its path any more. */
  void onClosed(SessionLink sessionLink, @Nullable BulkPath path, String reason) {
    if (isOpen()) {
      watch.look(loop.now());
    }
    rails.remove(sessionLink);
    if (path != null) {
      // This comes first, because transfers continue by the later events and must not use this link
      // then.
      participants.forEach(one -> one.pathClosed(path));
    }
    closing.remove(sessionLink);
    if (sessionLink == better) {
      betterClosed(sessionLink, reason);
    } else if (sessionLink == control) {
      controlClosed(reason);
    } else if (rails.open.remove(sessionLink)) {
      LOG.debug("{} has lost {}: {}", session, sessionLink, reason);
      session.railLost();
      session.pathChanged();
    }
    Runnable then = whenAllClosed;
    if (then != null && closing.isEmpty()) {
      whenAllClosed = null;
      then.run();
    }
  }

  private void betterClosed(SessionLink sessionLink, String said) {
    String reason = whyEnded(said);
    if (control == null) { // no link is left for settling
      closeAll(reason, () -> session.controlLost(reason));
      return;
    }
    boolean inUse =
        out == sessionLink
            || in == sessionLink
            || awaitsMarker
            || settlingEpoch == sessionLink.epoch;
    noBetter();
    session.betterLost(reason); // first, because settling may end at once
    if (inUse) {
      LOG.debug("{} is gone: {}; settling over the session's first link", sessionLink, reason);
      settle(sessionLink.epoch);
    }
    session.pathChanged();
  }

  /**
   * If both directions use the better link, they stay there while a new first link is made.
   * Otherwise no link is left for settling. The better link is then closed, too, and the session
   * resumes.
   */
  private void controlClosed(String reason) {
    boolean goesOn = settledEpoch() != NONE;
    control = null;
    if (goesOn) {
      LOG.debug("{} has lost its first link: {}; calls stay on the {}", session, reason, better);
      role.linkLost(reason);
    } else {
      closeAll("the session's first link is gone: " + reason, () -> session.controlLost(reason));
    }
  }

  /**
   * Aborts every link and ignores further frames.
   *
   * @param then runs when all links are closed and drained, at once if they are already
   */
  void closeAll(String reason, Runnable then) {
    List<SessionLink> open = new ArrayList<>();
    for (SessionLink sessionLink : all()) {
      if (!sessionLink.isClosed()) {
        open.add(sessionLink);
      }
    }
    forgetAll();
    closing.addAll(open);
    for (SessionLink sessionLink : open) {
      sessionLink.forget();
      sessionLink.link.abort(reason);
    }
    if (closing.isEmpty()) {
      then.run();
    } else {
      whenAllClosed = then;
    }
  }

  /** Returns all links, the first link last. */
  private List<SessionLink> all() {
    List<SessionLink> all = new ArrayList<>(rails.open);
    if (better != null) {
      all.addFirst(better);
    }
    if (control != null) {
      all.add(control);
    }
    return all;
  }

  /** Closes every link in order, so that frames sent before still arrive. */
  void closeGently() {
    List<SessionLink> open = all();
    forgetAll();
    for (SessionLink sessionLink : open) {
      if (!sessionLink.isClosed()) {
        sessionLink.forget();
        sessionLink.link.close();
      }
    }
  }

  @Override
  public String toString() {
    List<String> all = new ArrayList<>();
    all().reversed().forEach(one -> all.add(one.link.capabilities().kind()));
    String links = all.isEmpty() ? "none" : String.join(" + ", all);
    String doing =
        settlingEpoch != NONE ? ", settling" : markerDue || in == null ? ", changing" : "";
    return all.isEmpty() ? links : links + (control == null ? ", first one lost" : "") + doing;
  }

  private void forgetAll() {
    if (isOpen()) {
      watch.look(loop.now());
    }
    control = null;
    noBetter();
    rails.clear();
    session.linksForgotten();
    out = null;
    in = null;
    peerChangedTo = NONE;
    endSettling();
  }
}
