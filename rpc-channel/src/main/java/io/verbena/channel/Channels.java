package io.verbena.channel;

import io.verbena.core.stat.OpenOnes;
import java.util.List;

/** The open channels of this process. Safe for use by any thread. */
final class Channels implements ChannelsMXBean {
  private static final OpenOnes<BalancedChannel> OPEN = new OpenOnes<>(NAME, new Channels());

  private Channels() {}

  static void add(BalancedChannel channel) {
    OPEN.add(channel);
  }

  static void forget(BalancedChannel channel) {
    OPEN.remove(channel);
  }

  @Override
  public List<ChannelStat> getChannels() {
    return OPEN.all().stream().map(BalancedChannel::stat).toList();
  }
}
