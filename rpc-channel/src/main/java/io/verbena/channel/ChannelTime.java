package io.verbena.channel;

import io.verbena.link.runtime.NanoClock;

/** The time of a channel, injected so that a test owns it. Safe for use by any thread. */
public interface ChannelTime extends NanoClock {
  /** The machine's own, with one daemon thread for all channels, as long as there are any. */
  ChannelTime SYSTEM = new SystemTime();

  /**
   * Has an action run later. It must not block.
   *
   * @param nanos after so long; at once if not above 0
   * @return withdraws it, unless it has run
   */
  Runnable after(long nanos, Runnable action);
}
