package io.verbena.core.session;

import io.verbena.api.RpcStatus;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.loop.Timers;
import io.verbena.core.sequence.Message;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The end of a session on this side. The session drains, so that no call is lost, and then closes.
 *
 * <pre>
 *   OPEN ──drain──→ DRAINING  accepts no more calls; running calls continue
 *     │                │
 *     └─────close──────┴──→ CLOSING  all ends except sent one-way calls, which arrive first,
 *                              │     because no caller would notice their loss
 *                              └──arrived, lost or 2 s──→ GOODBYE, ENDED
 *
 *   the end that drains                         its peer
 *     DRAINING {reason} ─────────────────────→    takes back unsent calls; makes no more calls
 *     answers requests for items           ←──    reads its streams to their end
 *     executes one-way calls before it,    ←──    LAST_CALL, after everything that it has sent
 *     refuses other calls before it
 *     waits until handlers end, replies are acknowledged and objects arrive
 *     GOODBYE ───────────────────────────────→    sends the kept calls to the next peer
 * </pre>
 *
 * <p>A new peer is notified of the drain again. On the loop, except {@link #isClosing} and {@link
 * #done}.
 */
public final class Ending implements Participant {
  /** The longest wait for a peer that does not read any more. */
  private static final Duration LONGEST = Duration.ofSeconds(2);

  static final String CLOSED = "the session was closed on this side";

  private final SessionImpl session;

  /** Completes when the session has ended. */
  final CompletableFuture<Void> done = new CompletableFuture<>();

  /** The reason why this end drains; null while it does not. */
  private @Nullable String drainReason;

  private boolean drainSaid;
  private boolean lastCallCame;

  /** Whether the peer drains and waits for this end's last call. */
  private boolean lastCallOwed;

  private volatile boolean closing;
  private boolean leaving;
  private long timer = Timers.NONE;

  Ending(SessionImpl session) {
    this.session = session;
  }

  // ---- this end drains ----

  /** Returns whether this end accepts no more calls. */
  public boolean isDraining() {
    return drainReason != null;
  }

  public String drainReason() {
    return String.valueOf(drainReason);
  }

  /** Accepts no more calls from now on, and notifies the peer. Running calls continue. */
  void drain(String reason) {
    if (drainReason == null) {
      drainReason = reason;
      session.leftOrNot();
      session.participants.forEach(one -> one.draining(reason));
      sendDrainIfDue();
    }
  }

  /** Notifies the peer as soon as there is one. */
  void sendDrainIfDue() {
    String why = drainReason;
    if (why != null && !drainSaid && session.isAttached()) {
      drainSaid = true;
      session.enqueue(ControlFrame.message(FrameKind.DRAINING, 0, out -> out.writeString(why)));
    }
  }

  /**
   * Returns whether no more calls can arrive, and none waits for a result. A session without a link
   * that has nothing to deliver counts as drained.
   */
  boolean isDrained() {
    return !session.isBusy() && (!session.isAttached() || lastCallCame);
  }

  // ---- the peer drains ----

  @Override
  public Set<FrameKind> kinds() {
    return Set.of(FrameKind.DRAINING, FrameKind.LAST_CALL);
  }

  @Override
  public @Nullable String take(Message message) {
    if (message.kind() == FrameKind.DRAINING) {
      if (session.peerDrains()) {
        return "a second DRAINING";
      }
      lastCallOwed = true;
      session.peerDrains(SessionImpl.brief(session.decoding(message).readString()));
      sendLastCallIfDue();
      return null;
    }
    if (!drainSaid || lastCallCame) {
      return "a LAST_CALL without DRAINING";
    }
    lastCallCame = true;
    return null;
  }

  /** Returns whether the peer drains, and waits for this end's last call. */
  public boolean owesLastCall() {
    return lastCallOwed;
  }

  /** A stream of the peer may have ended, or a call that would have had one. */
  public void sendLastCallIfDue() {
    if (lastCallOwed
        && !session.isEnded()
        && !session.participants.any(Participant::asksDrainingPeer)) {
      lastCallOwed = false;
      session.enqueue(ControlFrame.message(FrameKind.LAST_CALL, 0, out -> {}));
    }
  }

  @Override
  public void peerGone(RpcStatus status, String reason, boolean forGood) {
    drainSaid = false;
    lastCallCame = false;
    lastCallOwed = false;
  }

  // ---- this end closes ----

  /**
   * Returns whether the session is about to end and accepts no more calls. Safe for use by any
   * thread.
   */
  boolean isClosing() {
    return closing;
  }

  /** Closes the session when its one-way calls have arrived. */
  void close() {
    if (closing || session.isEnded()) {
      return;
    }
    closing = true;
    session.leftOrNot();
    if (isAwaited()) {
      timer =
          session
              .loop()
              .timers()
              .schedule(session.loop().now() + LONGEST.toNanos(), now -> leave());
      session.participants.forEach(one -> one.aboutToEnd(RpcStatus.CANCELLED, CLOSED));
      session.schedulePump();
    } else {
      leave();
    }
  }

  private boolean isAwaited() {
    return session.isAttached() && session.participants.any(Participant::hasToArrive);
  }

  /**
   * Checks after an arrival or a loss whether the session can end now. Returns whether it has
   * ended.
   */
  boolean leavesIfDue() {
    if (closing && !leaving && !session.isEnded() && !isAwaited()) {
      leave();
      return true;
    }
    return false;
  }

  void leave() {
    if (session.isEnded()) {
      return;
    }
    leaving = true; // frames sent from now on need no further check
    sendGoodbye();
    session.end(RpcStatus.CANCELLED, CLOSED);
  }

  /** Notifies the peer that this end closes the session. */
  private void sendGoodbye() {
    SessionLink first =
        session.links.control() == null ? session.links.out() : session.links.control();
    if (first != null) {
      session.participants.forEach(Participant::lastWords);
      session.links.run(); // earlier messages are still sent
      first.send(FrameKind.GOODBYE);
      first.link.flush();
    }
  }

  /** The session has ended, and all its participants know it. */
  void sessionEnded() {
    session.loop().timers().cancel(timer);
    timer = Timers.NONE;
    done.complete(null);
  }
}
