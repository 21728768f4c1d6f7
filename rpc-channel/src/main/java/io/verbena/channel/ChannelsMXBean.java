package io.verbena.channel;

import java.util.List;

/**
 * The channels of this process. As long as one of them is open, this is registered as {@value
 * #NAME} with the platform's MBean server, for {@code verbena stat} and for monitoring. Safe for
 * use by any thread.
 */
public interface ChannelsMXBean {
  /** The name with which it is registered. */
  String NAME = "io.verbena:type=Channels";

  /** Returns the open channels, in the order in which they were made. */
  List<ChannelStat> getChannels();
}
