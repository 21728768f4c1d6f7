package io.verbena.channel;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.management.JMException;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The channels of this process that can be asked. Safe for any thread. */
final class Channels implements ChannelsMXBean {
  private static final Logger LOG = LoggerFactory.getLogger(Channels.class);
  private static final Channels THIS_PROCESS = new Channels();

  private final List<BalancedChannel> open = new CopyOnWriteArrayList<>();
  private boolean registered;

  private Channels() {}

  static void add(BalancedChannel channel) {
    THIS_PROCESS.open.add(channel);
    THIS_PROCESS.register();
  }

  static void forget(BalancedChannel channel) {
    THIS_PROCESS.open.remove(channel);
  }

  private synchronized void register() {
    if (registered) {
      return;
    }
    registered = true;
    try {
      ManagementFactory.getPlatformMBeanServer().registerMBean(this, new ObjectName(NAME));
    } catch (JMException | SecurityException e) {
      // Another class loader's Verbena has the name, or the process wants no management.
      LOG.debug("'verbena stat' will not see this Verbena's channels", e);
    }
  }

  @Override
  public List<ChannelStat> getChannels() {
    return open.stream().map(BalancedChannel::stat).toList();
  }
}
