package io.verbena.core.session;

import io.verbena.api.RpcStatus;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.loop.Timers;
import io.verbena.core.sequence.Message;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * How this end leaves a session: it drains, so that no call is lost, and closes.
 *
 * <pre>
 *   OPEN ──drain──→ DRAINING  takes no more calls; those that run go on
 *     │                │
 *     └─────close──────┴──→ CLOSING  all ends but one-way calls that have left, which arrive first:
 *                              │     nobody waits for them who would be told of their loss
 *                              └──arrived, lost or 2 s──→ GOODBYE, ENDED
 *
 *   the end that drains                         its peer
 *     DRAINING {reason} ─────────────────────→    takes back what it has not sent; makes no call
 *     answers questions for items          ←──    takes its streams to their end
 *     refuses what else comes before       ←──    LAST_CALL, behind all that it has sent
 *     waits: handlers end, replies are acknowledged, objects arrive
 *     GOODBYE ───────────────────────────────→    the calls that it kept go to the next peer
 * </pre>
 *
 * <p>A new peer is told of a drain anew. On the loop, but {@link #isClosing} and {@link #done}.
 */
public final class Ending implements Participant, Timers.Timer {
  /** A peer that takes nothing more is waited for no longer. */
  private static final Duration LONGEST = Duration.ofSeconds(2);

  static final String CLOSED = "the session was closed on this side";

  private final SessionImpl session;
  private final CompletableFuture<Void> done = new CompletableFuture<>();

  /** Why this end drains; null while it does not. */
  private @Nullable String drainReason;

  private boolean drainSaid;
  private boolean lastCallCame;

  /** The peer drains, and waits for this end's last call. */
  private boolean lastCallOwed;

  private volatile boolean closing;
  private boolean leaving;
  private long timer = Timers.NONE;

  Ending(SessionImpl session) {
    this.session = session;
  }

  // ---- this end drains ----

  /** Returns whether this end takes no more calls. */
  public boolean isDraining() {
    return drainReason != null;
  }

  /** Returns why this end takes no more calls. */
  public String drainReason() {
    return String.valueOf(drainReason);
  }

  /** Takes no more calls from now on, and says so to the peer: those that run go on. */
  void drain(String reason) {
    if (drainReason == null) {
      drainReason = reason;
      session.leftOrNot();
      session.participants().forEach(one -> one.drains(reason));
      sayDrainIfDue();
    }
  }

  /** Tells the peer, once there is one to be told. */
  void sayDrainIfDue() {
    String why = drainReason;
    if (why != null && !drainSaid && session.isAttached()) {
      drainSaid = true;
      session.enqueue(ControlFrame.message(FrameKind.DRAINING, 0, out -> out.writeString(why)));
    }
  }

  /**
   * Returns whether no call may come any more, and none has anything owed to it. A session without
   * a link that has nothing to deliver is not waited for.
   */
  boolean isDrained() {
    return !session.isBusy() && (!session.isAttached() || lastCallCame);
  }

  // ---- the peer drains ----

  @Override
  public List<FrameKind> kinds() {
    return List.of(FrameKind.DRAINING, FrameKind.LAST_CALL);
  }

  @Override
  public @Nullable String take(Message message) {
    if (message.kind() == FrameKind.DRAINING) {
      if (session.peerDrains()) {
        return "it drains twice";
      }
      lastCallOwed = true;
      session.peerDrains(SessionImpl.brief(session.decoding(message).readString()));
      sayLastCallIfDue();
      return null;
    }
    if (!drainSaid || lastCallCame) {
      return "a last call that was not asked for";
    }
    lastCallCame = true;
    return null;
  }

  /** Returns whether the peer drains, and waits for this end's last call. */
  public boolean owesLastCall() {
    return lastCallOwed;
  }

  /** A stream of the peer's may have ended, or a call that was to have one. */
  public void sayLastCallIfDue() {
    if (lastCallOwed
        && !session.isEnded()
        && !session.participants().any(Participant::asksDrainingPeer)) {
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

  /** Returns whether the session is about to end, and takes no more calls. Safe for any thread. */
  boolean isClosing() {
    return closing;
  }

  /** Returns what completes when the session has ended. Safe for any thread. */
  CompletableFuture<Void> done() {
    return done;
  }

  /** Closes the session when what is one-way has arrived. */
  void close() {
    if (closing || session.isEnded()) {
      return;
    }
    closing = true;
    session.leftOrNot();
    if (isAwaited()) {
      timer = session.loop().timers().schedule(session.loop().now() + LONGEST.toNanos(), this);
      session.participants().forEach(one -> one.closes(RpcStatus.CANCELLED, CLOSED));
      session.schedulePump();
    } else {
      leave();
    }
  }

  private boolean isAwaited() {
    return session.isAttached() && session.hasToArrive();
  }

  /** Something has arrived, or was lost; returns whether the session has ended by that. */
  boolean leavesIfDue() {
    if (closing && !leaving && !session.isEnded() && !isAwaited()) {
      leave();
      return true;
    }
    return false;
  }

  @Override
  public void onTimer(long nowNanos) {
    timer = Timers.NONE;
    leave();
  }

  /** Closes the session now. */
  void leave() {
    if (session.isEnded()) {
      return;
    }
    leaving = true; // what is pumped now is no reason to look again
    sayGoodbye();
    session.end(RpcStatus.CANCELLED, CLOSED);
  }

  /** Tells the peer that this end closes the session. */
  private void sayGoodbye() {
    SessionLink first =
        session.links().control() == null ? session.links().out() : session.links().control();
    if (first != null) {
      session.participants().forEach(Participant::lastWords);
      session.links().run(); // what was sent before still goes
      first.say(FrameKind.GOODBYE);
      first.link.flush();
    }
  }

  /** The session has ended, for whatever reason, and all that lay on it has heard so. */
  void sessionEnded() {
    session.loop().timers().cancel(timer);
    timer = Timers.NONE;
    done.complete(null);
  }
}
