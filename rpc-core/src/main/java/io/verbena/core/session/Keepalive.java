package io.verbena.core.session;

import io.verbena.core.NanoClock;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.loop.Timers;

/**
 * Notices a peer that has fallen silent on one link. A pause of this very process is not held
 * against the peer: when the timer comes late, what the peer sent meanwhile has yet to be read.
 */
final class Keepalive implements Timers.Timer {
  private final SessionCore session;
  private final Lane lane;
  private final long pingNanos;
  private final long deadNanos;
  private long timer = Timers.NONE;
  private long dueNanos;
  private long heardNanos;

  Keepalive(SessionCore session, Lane lane) {
    this.session = session;
    this.lane = lane;
    this.pingNanos = NanoClock.nanos(session.limits().pingInterval());
    this.deadNanos = NanoClock.nanos(session.limits().deadAfter());
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

  private void schedule() {
    dueNanos = session.loop().now() + pingNanos;
    timer = session.loop().timers().schedule(dueNanos, this);
  }

  @Override
  public void onTimer(long nowNanos) {
    timer = Timers.NONE;
    if (nowNanos - dueNanos > pingNanos) {
      heardNanos = nowNanos; // this process itself was paused
    }
    long silent = nowNanos - heardNanos;
    if (silent >= deadNanos) {
      lane.link().abort("no sign of life from the peer for " + silent / 1_000_000 + " ms");
      return;
    }
    if (silent >= pingNanos / 2) {
      lane.say(FrameKind.PING);
    }
    schedule();
  }
}
