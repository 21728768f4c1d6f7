package io.verbena.spring;

import io.verbena.channel.BalancedChannel;

/** A bean that sets channels up further, behind their properties; in their order. */
@FunctionalInterface
public interface VerbenaChannelCustomizer {
  /**
   * Sets what it likes, before the channel is made.
   *
   * @param name the client's, as in {@code verbena.clients.NAME}
   */
  void customize(String name, BalancedChannel.Builder channel);
}
