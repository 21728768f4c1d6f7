package io.verbena.channel;

import io.verbena.core.stat.OpenOnes;
import java.util.List;
import java.util.function.Supplier;

/** The open channels of this process. Safe for use by any thread. */
final class Channels implements ChannelsMXBean {
  private static final OpenOnes<Supplier<ChannelStat>> OPEN = new OpenOnes<>(NAME, new Channels());

  private Channels() {}

  static void add(Supplier<ChannelStat> channel) {
    OPEN.add(channel);
  }

  static void forget(Supplier<ChannelStat> channel) {
    OPEN.remove(channel);
  }

  @Override
  public List<ChannelStat> getChannels() {
    return OPEN.all().stream().map(Supplier::get).toList();
  }
}
