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
 * The links under one session: the first one, which stays open as control link, and the better one
 * that it may upgrade to. Numbered frames take one of them in each direction.
 *
 * <p>What waits leaves at the end of a duty cycle in which there is something: frames, and then a
 * chunk of each transfer in turn. Every frame that leaves acknowledges what was received. An
 * acknowledgement of its own goes out when many frames are owed one, or when no frame has left for
 * a while.
 *
 * <pre>
 *   change of path, each direction by itself:
 *     sender    PATH_CHANGED {epoch, last} on the first link ─→ then numbers last+1 … on the better one
 *     receiver  keeps the better link's frames back until it has the marker, and all up to last
 *
 *   settling, when the better link dies:
 *     each end  its own link closed and drained ─→ SETTLE {epoch, received} on the first link
 *     each end  has sent and heard SETTLE ─→ sends received+1 … on the first link
 *
 *   the better link dies, and there is a rail: it takes its place, once all is settled
 *     client    hears nothing by the rail; PATH_CHANGED for it on the first link, then holds numbers back
 *     server    takes the rail as the better link, PATH_CHANGED for it on the first link, and sends by it
 *     client    has that marker: sends by it, too
 *
 *   the first link dies alone:
 *     both directions on the better one for good: it carries calls on, while the client makes
 *     another first link beside it; else, and when that takes too long, it goes too
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

  /** Why calls ride no better link, before there is another reason. */
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
  private final Rails rails = new Rails();
  private final List<SessionLink> closing = new ArrayList<>();
  private @Nullable SessionLink control;
  private @Nullable SessionLink better;
  private @Nullable SessionLink out;
  private @Nullable SessionLink in;
  private boolean markerDue;

  /** The better link was a rail: objects go by it already, while messages are brought onto it. */
  private boolean wasRail;

  /** The peer has not answered that this end goes on by a rail: no number is sent meanwhile. */
  private boolean awaitsMarker;

  private String whyNotBetter = NOT_YET;

  private int peerChangedTo = NONE;
  private int settlingEpoch = NONE;
  private boolean settleDue;
  private boolean settleSaid;
  private long peerReceived = -1;
  private @Nullable Runnable whenAllClosed;

  /** What waits is sent at the end of this duty cycle. */
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
  }

  Rails rails() {
    return rails;
  }

  /** Starts anew with one link. */
  void start(Link link, int epoch) {
    SessionLink first = new SessionLink(this, link, epoch);
    link.listener(first);
    control = first;
    out = first;
    in = first;
    noBetter();
    peerChangedTo = NONE;
    endSettling();
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

  /** Returns the link that carries what this end sends; null while there is none. */
  @Nullable SessionLink out() {
    return out;
  }

  /** Returns the better link, whatever it carries by now; null while there is none. */
  @Nullable SessionLink better() {
    return better;
  }

  /**
   * Returns the paths that objects take now: the better link and the rails beside it, else the
   * first link. The same list while they are the same.
   *
   * @param byFirst whether the first link may be taken
   */
  List<BulkPath> bulkPaths(boolean byFirst) {
    SessionLink main = isUpgraded() || wasRail ? better : null;
    BulkPath path = main == null ? null : main.bulkPath();
    SessionLink first = control;
    if (path == null && rails.paths().isEmpty() && byFirst && first != null) {
      path = first.bulkPath();
    }
    return rails.pathsBeside(path);
  }

  /** Returns whether any of the links that there are moves bulk. */
  boolean moveBulk() {
    return (control != null && control.link.bulk() != null)
        || (better != null && better.link.bulk() != null);
  }

  /** Returns the link with this epoch, if the session has it now. */
  @Nullable SessionLink withEpoch(int epoch) {
    SessionLink first = control;
    if (first != null && first.epoch == epoch) {
      return first;
    }
    SessionLink second = better;
    return second != null && second.epoch == epoch ? second : rails.withEpoch(epoch);
  }

  /** Returns whether numbered frames may come by this link now. */
  boolean carriesIn(SessionLink sessionLink) {
    return sessionLink == in;
  }

  /** Returns whether there is a link left. */
  boolean isOpen() {
    return control != null || better != null;
  }

  /** Returns whether links that were aborted are still being drained. */
  boolean isClosing() {
    return !closing.isEmpty();
  }

  /**
   * Returns the number of the better link where it carries both directions and nothing is being
   * changed or settled, so that the first link is not needed for now; else 0.
   */
  int settledEpoch() {
    SessionLink next = better;
    return next != null && isUpgraded() && !markerDue && settlingEpoch == NONE ? next.epoch : NONE;
  }

  /** Takes another first link beside the better one, which goes on. */
  void replaceControl(Link link, int epoch) {
    SessionLink old = control;
    control = new SessionLink(this, link, epoch);
    link.listener(control);
    if (old != null) {
      old.forget();
      old.link.abort("the peer has made another first link");
    }
  }

  /** Returns whether both directions take the better link. */
  boolean isUpgraded() {
    return better != null && out == better && in == better;
  }

  /** Returns whether what the peer sends takes the better link. */
  boolean isUpgradedIn() {
    return better != null && in == better;
  }

  // ---- change of path ----

  /**
   * A better link is open: takes it for what this end sends. Its frames wait for the peer's marker.
   */
  void upgrade(SessionLink next) {
    if (control == null || better != null) {
      next.forget();
      next.link.abort("the session has no use for it any more");
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
    sayWhatIsDue();
  }

  /**
   * Has messages ride a rail where the first link has them to itself, and there is one; the client
   * does. Returns whether they will.
   */
  boolean ridesRail() {
    boolean settled = better == null && settlingEpoch == NONE && out == control && in == control;
    boolean may = role.isClient() && settled && !session.isUpgrading();
    SessionLink rail = may && control != null ? rails.takeAny() : null;
    if (rail != null) {
      takeAsBetter(rail);
      awaitsMarker = true;
      rail.link.setReceiving(false);
      sayWhatIsDue();
    }
    return rail != null;
  }

  /** The peer has said something over a link: if it is a rail, both its ends are open. */
  void heard(SessionLink sessionLink) {
    if (rails.heard(sessionLink)) {
      LOG.debug("{} has {} beside its better link", session, sessionLink);
      if (!ridesRail()) {
        session.pathChanged();
      }
    }
  }

  private void takeAsBetter(SessionLink rail) {
    LOG.debug("{} has {} take the better link's place", session, rail);
    better = rail;
    wasRail = true;
    markerDue = true;
    session.tookRail();
  }

  /** Sends a marker or a settlement that the link had no room for before. */
  private void sayWhatIsDue() {
    SessionLink first = control;
    SessionLink next = better;
    if (first == null) {
      return;
    }
    if (markerDue && next != null && outbox.finish(first.link, first.epoch, inbox.received())) {
      long last = outbox.lastSent();
      if (first.say(
          ControlFrame.slot(
              FrameKind.PATH_CHANGED,
              first.epoch,
              0,
              body -> {
                body.writeInt(next.epoch);
                body.writeLong(last);
              }))) {
        markerDue = false;
        if (!awaitsMarker) {
          out = next;
          session.pathChanged();
        }
      }
    }
    if (settleDue) {
      long received = inbox.received();
      int epoch = settlingEpoch;
      if (first.say(
          ControlFrame.slot(
              FrameKind.SETTLE,
              first.epoch,
              0,
              body -> {
                body.writeInt(epoch);
                body.writeLong(received);
              }))) {
        settleDue = false;
        settleSaid = true;
        settleIfBothDid();
      }
    }
  }

  /** The peer sends by another link from now on; returns what is wrong with that, or null. */
  @Nullable String peerChanged(WireIn body) {
    int epoch = body.readInt();
    long last = body.readLong();
    if (last > inbox.received() || in != control) {
      return "a change of path after frame " + last + ", where " + inbox.received() + " was last";
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
        sayWhatIsDue();
      }
      session.pathChanged();
    }
    return null;
  }

  // ---- settling ----

  /** The peer's end of a link is gone; returns what is wrong with its account, or null. */
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

  /** This end's part of settling: the link is closed and drained, so the account is final. */
  private void settle(int epoch) {
    settlingEpoch = epoch;
    out = null;
    if (in != control) {
      in =
          null; // else the peer has not left the first link, and sends by it until it hears of this
    }
    markerDue = false;
    awaitsMarker = false;
    peerChangedTo = NONE;
    if (!settleSaid) {
      settleDue = true;
      sayWhatIsDue();
    } else {
      settleIfBothDid();
    }
  }

  private void settleIfBothDid() {
    if (!settleSaid || peerReceived < 0) {
      return;
    }
    // The peer may have received more over the first link since it said so, and acknowledged it.
    long received = Math.max(peerReceived, outbox.acknowledged());
    endSettling();
    peerChangedTo = NONE;
    out = control;
    in = control;
    if (outbox.resume(received)) {
      schedule();
      if (rails.paths().isEmpty()) {
        FallbackLog.wentBack(session.name(), whyNotBetter);
      }
      if (!ridesRail()) {
        session.pathChanged();
      }
    } else {
      breakOff("the peer settles at frame " + received + ", which cannot be");
    }
  }

  private void endSettling() {
    settlingEpoch = NONE;
    settleDue = false;
    settleSaid = false;
    peerReceived = -1;
  }

  // ---- why calls do not ride a better link ----

  /** Returns why they do not, whether or not they do. */
  String whyNotBetter() {
    return whyNotBetter;
  }

  void hasNoBetter(String why) {
    whyNotBetter = why;
  }

  /** None is to be had now, as those hear who wait for one. */
  void failedToUpgrade(String why) {
    hasNoBetter(why);
    session.pathChanged();
    session.upgradeFailed(why);
  }

  /** Returns why a better link has ended: what broke all of them, rather than what it says. */
  String whyEnded(String said) {
    String broke = loop.breakingUpgrades();
    return broke == null ? said : broke;
  }

  // ---- messages ----

  /** Sends a message behind all others. */
  void enqueue(Outgoing message) {
    for (Participant one : participants.turning) {
      one.beforeMessage();
    }
    outbox.add(message);
    schedule();
  }

  /** Returns what reads a message's whole body. */
  WireDecoder decoding(Message message) {
    decoder.start(message.buffer(), message.from(), message.to(), context.limits().maxDepth());
    return decoder;
  }

  /** Hands a message to whoever it is for: one that has just come, or one whose values have. */
  void deliver(Message message) {
    FrameKind kind = message.kind();
    String wrong;
    MemorySegment[] values = message.values();
    if (values != null) {
      decoder.parts(values);
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
        decoder.parts(null);
      }
      message.release();
    }
    if (wrong != null) {
      breakOff(wrong);
    }
  }

  private static String partOf(Message message) {
    return message.dropped() == null
        ? message.kind() + " with values beside it"
        : message.kind() + " of " + message.length() + " bytes";
  }

  /** The peer broke the protocol. It cannot be trusted with the rest of the session either. */
  void breakOff(String wrong) {
    giveUp("protocol error: " + wrong);
  }

  /** The session cannot go on: this end does not know any more what it has done of it. */
  void giveUp(String reason) {
    if (isOpen()) {
      BROKEN_OFF.warn("{} broken off: {}", session, reason);
      session.closeLinks(reason, () -> {});
      role.peerLost(reason);
    }
  }

  // ---- sending: when ----

  /** Sends what there is to send, at the end of this duty cycle. */
  void schedule() {
    if (!due) {
      loop.atCycleEnd(this);
      due = true; // not before: where the heap is full, the next one tries again
    }
  }

  /** A frame has been taken: sends what that lets go on, or makes up a batch. */
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
   * Returns whether so much waits that the peer is better given it now, in the middle of a duty
   * cycle, to work on meanwhile; else the two ends work by turns. Of its own calls an end sends the
   * first half while it makes the second. Measured on loopback, with 64 and 256 calls outstanding:
   * that makes a third more calls; each write costs as much as about ten.
   */
  private boolean hasBatch() {
    int waiting = outbox.waiting();
    if (waiting < CALLS_IN_BATCH) {
      return false; // whatever it is that waits
    }
    int calls = session.answersAwaited();
    return waiting >= (calls == 0 ? ANSWERS_IN_BATCH : Math.max(CALLS_IN_BATCH, calls / 2));
  }

  // ---- sending: what ----

  /** Sends what there is to send. */
  @Override
  public void run() {
    due = false;
    if (!session.maySend()) {
      return;
    }
    sayWhatIsDue();
    sendFrames();
    if (participants.turning.length > 0) {
      int waiting = outbox.waiting();
      participants.afterFrames();
      if (outbox.waiting() > waiting) {
        sendFrames(); // what was said of the bulk that has just left
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

  /** Sees that what is owed does not wait for ever, where nothing is to be sent. */
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

  /** Sends an acknowledgement of its own; where the link takes nothing now, it is still owed. */
  private void acknowledge() {
    SessionLink by = out;
    if (by != null && by.say(FrameKind.ACK)) {
      inbox.acknowledged();
    }
  }

  /** There is no link to acknowledge by. */
  void stopAcknowledging() {
    loop.timers().cancel(acknowledgeTimer);
    acknowledgeTimer = Timers.NONE;
  }

  // ---- closing ----

  /** A link is closed, and nothing comes or goes by its path any more. */
  void onClosed(SessionLink sessionLink, @Nullable BulkPath path, String reason) {
    rails.leaves(sessionLink);
    if (path != null) {
      // Before the others hear, by which transfers go on: nothing of this link may be theirs then.
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
    if (control == null) { // nothing is left to settle by
      closeAll(reason, () -> session.controlLost(reason));
      return;
    }
    boolean inUse =
        out == sessionLink
            || in == sessionLink
            || awaitsMarker
            || settlingEpoch == sessionLink.epoch;
    noBetter();
    session.betterLost(reason); // first: settling may be over at once, and the path says why
    if (inUse) {
      LOG.debug("{} is gone: {}; settling over the session's first link", sessionLink, reason);
      settle(sessionLink.epoch);
    }
    session.pathChanged();
  }

  /**
   * Where both directions ride the better link, they stay there while the first one is made again.
   * Else there is nothing to settle by: the other goes too, then all resumes.
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
   * Aborts every link. What they still bring is not heard.
   *
   * @param then runs when all are closed and drained; at once if they are
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

  /** Returns every link that there is, the first one last. */
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

  /** Closes every link in order: what was sent before still arrives. */
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
