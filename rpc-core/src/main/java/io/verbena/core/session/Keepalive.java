package io.verbena.core.session;

import io.verbena.core.frame.FrameKind;
import io.verbena.core.loop.Timers;
import io.verbena.link.runtime.NanoClock;

/**
 * Notices a peer that has fallen silent on one link. A pause of this very process is not held
 * against the peer: when the timer comes late, what the peer sent meanwhile has yet to be read.
 *
 * <p>Both ends probe by their own limits, but no more often than the other end wants to be asked:
 * who is asked less often is given up later.
 */
final class Keepalive implements Timers.Timer {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final SessionImpl session;
  private final SessionLink sessionLink;
  private final long ownPingNanos;
  private final long ownDeadNanos;
  private long timer = Timers.NONE;
  private long dueNanos;
  private long heardNanos;

  Keepalive(SessionImpl session, SessionLink sessionLink) {
    this.session = session;
    this.sessionLink = sessionLink;
    this.ownPingNanos = NanoClock.nanos(session.limits().pingInterval());
    this.ownDeadNanos = NanoClock.nanos(session.limits().deadAfter());
  }

  void start() {
    stop();
    heard();
    schedule();
  }

  void stop() {
    session.loop().timers().cancel(timer);
    timer = Timers.NONE;
  }

  /** Something has come from the peer. */
  void heard() {
    heardNanos = session.loop().now();
  }

  /** Asked for each time: the peer says what it wants after its link has begun. */
  private long pingNanos() {
    return Math.max(
        ownPingNanos, session.outbox().peerLimits().leastPingMillis() * NANOS_PER_MILLI);
  }

  private void schedule() {
    dueNanos = session.loop().now() + pingNanos();
    timer = session.loop().timers().schedule(dueNanos, this);
  }

  @Override
  public void onTimer(long nowNanos) {
    timer = Timers.NONE;
    long pingNanos = pingNanos();
    if (nowNanos - dueNanos > pingNanos) {
      heardNanos = nowNanos; // this process itself was paused
    }
    long silent = nowNanos - heardNanos;
    if (silent >= Math.max(ownDeadNanos, 2 * pingNanos)) {
      sessionLink
          .link()
          .abort("no sign of life from the peer for " + silent / NANOS_PER_MILLI + " ms");
      return;
    }
    if (silent >= pingNanos / 2) {
      sessionLink.say(FrameKind.PING);
    }
    schedule();
  }
}
