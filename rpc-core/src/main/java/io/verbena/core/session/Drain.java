package io.verbena.core.session;

import io.verbena.api.wire.WireIn;
import io.verbena.core.call.PendingCall;
import io.verbena.core.call.SessionStreams;
import io.verbena.core.frame.FrameKind;
import org.jspecify.annotations.Nullable;

/**
 * How an end stops taking calls without losing one.
 *
 * <pre>
 *   the end that drains                         its peer
 *     DRAINING {reason} ─────────────────────→    takes back what it has not sent; makes no call
 *     answers questions for items          ←──    takes its streams to their end
 *     refuses what else comes before       ←──    LAST_CALL, behind all that it has sent
 *     waits: handlers end, replies are acknowledged, objects arrive
 *     GOODBYE ───────────────────────────────→    the calls that it kept go to the next peer
 * </pre>
 */
final class Drain {
  private final SessionImpl session;

  /** Why this end drains; null while it does not. */
  private @Nullable String reason;

  private boolean said;
  private boolean lastCallCame;

  /** The peer drains, and waits for this end's last call. */
  private boolean lastCallOwed;

  Drain(SessionImpl session) {
    this.session = session;
  }

  /** Returns whether this end takes no more calls. */
  boolean isOn() {
    return reason != null;
  }

  /** Returns why this end takes no more calls. */
  String reason() {
    return String.valueOf(reason);
  }

  /** Takes no more calls from now on. */
  void start(String why) {
    if (reason == null) {
      reason = why;
      session.transfers().refuseMore(why);
      sayIfDue();
    }
  }

  /** Tells the peer, once there is one to be told. */
  void sayIfDue() {
    String why = reason;
    if (why != null && !said && session.isAttached()) {
      said = true;
      session.enqueue(ControlFrame.message(FrameKind.DRAINING, 0, out -> out.writeString(why)));
    }
  }

  /**
   * Returns whether calls may still come, or have something owed to them. A session without a link
   * that has nothing to deliver is not waited for.
   */
  boolean isBusy() {
    return session.isBusy() || (session.isAttached() && !lastCallCame);
  }

  /** The peer's word; returns how it broke the protocol, or null. */
  @Nullable String take(FrameKind kind, WireIn in) {
    if (kind == FrameKind.DRAINING) {
      if (session.peerDrains()) {
        return "it drains twice";
      }
      lastCallOwed = true;
      session.peerDrains(IncomingFrames.brief(in.readString()));
      sayLastCallIfDue();
      return null;
    }
    if (!said || lastCallCame) {
      return "a last call that was not asked for";
    }
    lastCallCame = true;
    return null;
  }

  /** Returns whether a call may leave: a peer that drains goes on with its streams, and no more. */
  boolean lets(PendingCall<?> call) {
    return !session.peerDrains() || (lastCallOwed && SessionStreams.isNext(call.method()));
  }

  /** A stream of the peer's may have ended, or a call that was to have one. */
  void sayLastCallIfDue() {
    if (lastCallOwed && !session.isEnded() && !session.calls().takesStreams()) {
      lastCallOwed = false;
      session.enqueue(ControlFrame.message(FrameKind.LAST_CALL, 0, out -> {}));
    }
  }

  /** There is no peer any more. */
  void peerLost() {
    said = false;
    lastCallCame = false;
    lastCallOwed = false;
  }
}
