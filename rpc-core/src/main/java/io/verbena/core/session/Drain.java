package io.verbena.core.session;

import io.verbena.core.frame.FrameKind;
import io.verbena.core.sequence.Message;
import java.util.List;
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
public final class Drain implements Participant {
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
  public boolean isOn() {
    return reason != null;
  }

  /** Returns why this end takes no more calls. */
  public String reason() {
    return String.valueOf(reason);
  }

  /** Takes no more calls from now on. */
  void start(String why) {
    if (reason == null) {
      reason = why;
      session.participants().forEach(one -> one.drains(why));
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
  boolean isWaitedFor() {
    return session.isBusy() || (session.isAttached() && !lastCallCame);
  }

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
    if (!said || lastCallCame) {
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
        && session.participants().stream().noneMatch(Participant::asksDrainingPeer)) {
      lastCallOwed = false;
      session.enqueue(ControlFrame.message(FrameKind.LAST_CALL, 0, out -> {}));
    }
  }

  @Override
  public void peerLost(String why) {
    said = false;
    lastCallCame = false;
    lastCallOwed = false;
  }
}
