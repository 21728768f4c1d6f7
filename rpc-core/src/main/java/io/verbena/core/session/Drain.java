package io.verbena.core.session;

import io.verbena.api.wire.WireIn;
import io.verbena.core.frame.FrameKind;
import org.jspecify.annotations.Nullable;

/**
 * How an end stops taking calls without losing one.
 *
 * <pre>
 *   the end that drains                         its peer
 *     DRAINING {reason} ─────────────────────→    takes back what it has not sent; makes no call
 *     refuses what comes before LAST_CALL  ←──    LAST_CALL, behind all that it has sent
 *     waits: handlers end, replies are acknowledged, objects arrive
 *     GOODBYE ───────────────────────────────→    the calls that it kept go to the next peer
 * </pre>
 */
final class Drain {
  private final SessionCore session;

  /** Why this end drains; null while it does not. */
  private @Nullable String reason;

  private boolean said;
  private boolean lastCallCame;

  Drain(SessionCore session) {
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
      session.calls().drain(why);
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
      session.peerDrains(IncomingFrames.brief(in.readString()));
      session.enqueue(ControlFrame.message(FrameKind.LAST_CALL, 0, out -> {}));
      return null;
    }
    if (!said || lastCallCame) {
      return "a last call that was not asked for";
    }
    lastCallCame = true;
    return null;
  }

  /** There is no peer any more. */
  void peerLost() {
    said = false;
    lastCallCame = false;
  }
}
