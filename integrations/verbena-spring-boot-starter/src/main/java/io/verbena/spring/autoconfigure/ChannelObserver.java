package io.verbena.spring.autoconfigure;

import io.verbena.channel.BalancedChannel;

/**
 * Called with each client's channel when it is made; observes the channel until the context closes.
 */
@FunctionalInterface
interface ChannelObserver {
  void made(String name, BalancedChannel channel);
}
