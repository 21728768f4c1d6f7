package io.verbena.spring.autoconfigure;

import io.verbena.channel.BalancedChannel;

/** Is told of each client's channel when it is made, and observes it until the context closes. */
@FunctionalInterface
interface ChannelObserver {
  void made(String name, BalancedChannel channel);
}
