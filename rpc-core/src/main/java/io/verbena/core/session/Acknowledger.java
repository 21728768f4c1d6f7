package io.verbena.core.session;

import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Timers;

/**
 * Sees that what was received is acknowledged. Every frame that leaves does so by the way; a frame
 * of its own goes out when many are owed, or when none has left for a while.
 */
final class Acknowledger implements Timers.Timer {
  private static final int MOST_OWED = 64;
  private static final long LONGEST_DELAY_NANOS = 20_000_000;

  private final FramePump pump;
  private final EventLoop loop;
  private long timer = Timers.NONE;

  Acknowledger(FramePump pump, EventLoop loop) {
    this.pump = pump;
    this.loop = loop;
  }

  /** Whatever was to be sent has been sent: acknowledges what is still owed, now or soon. */
  void afterPump() {
    if (owesMuch()) {
      pump.acknowledge();
    } else {
      acknowledgeLater();
    }
  }

  /** Returns whether so much is owed that it is not to wait for a frame that leaves anyway. */
  boolean owesMuch() {
    return pump.owed() >= MOST_OWED;
  }

  /** Nothing is to be sent: sees that what is owed does not wait for ever. */
  void acknowledgeLater() {
    if (timer == Timers.NONE && pump.owed() > 0) {
      long deadline = loop.now() + LONGEST_DELAY_NANOS;
      timer = loop.timers().schedule(deadline, this);
    }
  }

  @Override
  public void onTimer(long nowNanos) {
    timer = Timers.NONE;
    if (pump.owed() > 0) {
      pump.acknowledge();
    }
  }

  void stop() {
    loop.timers().cancel(timer);
    timer = Timers.NONE;
  }
}
