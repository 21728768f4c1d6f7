package io.verbena.channel;

import java.util.List;

/**
 * This process's channels, registered as {@value #NAME} with the platform's MBean server as long as
 * one of them is open, for {@code verbena stat} and users' monitoring. Safe for use by any thread.
 */
public interface ChannelsMXBean {
  /** The name it is registered by. */
  String NAME = "io.verbena:type=Channels";

  /** Returns every channel that is open, in the order they were made. */
  List<ChannelStat> getChannels();
}
