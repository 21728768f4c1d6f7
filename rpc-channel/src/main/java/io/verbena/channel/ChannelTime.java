package io.verbena.channel;

import io.verbena.link.runtime.NanoClock;

/**
 * The clock and timers of a channel, injected so that a test controls them. Safe for use by any
 * thread.
 */
public interface ChannelTime extends NanoClock {
  /**
   * The machine's time, with one daemon thread that serves all channels as long as there are any.
   */
  ChannelTime SYSTEM = new SystemTime();

  /**
   * Runs an action later. The action must not block.
   *
   * @param nanos the delay; the action runs at once if it is 0 or less
   * @return cancels the action, unless it has run
   */
  Runnable after(long nanos, Runnable action);
}
