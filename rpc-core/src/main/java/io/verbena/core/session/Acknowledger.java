package io.verbena.core.session;

import io.verbena.core.loop.Timers;

/**
 * Sees that what was received is acknowledged. Every frame that leaves does so by the way; a frame
 * of its own goes out when many are owed, or when none has left for a while.
 */
final class Acknowledger implements Timers.Timer {
  private static final int MOST_OWED = 64;
  private static final long LONGEST_DELAY_NANOS = 20_000_000;

  private final SessionCore session;
  private long timer = Timers.NONE;

  Acknowledger(SessionCore session) {
    this.session = session;
  }

  /** Whatever was to be sent has been sent: acknowledges what is still owed, now or soon. */
  void afterPump() {
    if (owesMuch()) {
      session.acknowledge();
    } else {
      acknowledgeLater();
    }
  }

  /** Returns whether so much is owed that it is not to wait for a frame that leaves anyway. */
  boolean owesMuch() {
    return session.inbox().owed() >= MOST_OWED;
  }

  /** Nothing is to be sent: sees that what is owed does not wait for ever. */
  void acknowledgeLater() {
    if (timer == Timers.NONE && session.inbox().owed() > 0) {
      long deadline = session.loop().now() + LONGEST_DELAY_NANOS;
      timer = session.loop().timers().schedule(deadline, this);
    }
  }

  @Override
  public void onTimer(long nowNanos) {
    timer = Timers.NONE;
    if (session.inbox().owed() > 0) {
      session.acknowledge();
    }
  }

  void stop() {
    session.loop().timers().cancel(timer);
    timer = Timers.NONE;
  }
}
