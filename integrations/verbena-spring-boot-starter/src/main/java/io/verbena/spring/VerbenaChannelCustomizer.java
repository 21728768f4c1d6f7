package io.verbena.spring;

import io.verbena.channel.BalancedChannel;

/**
 * A bean that adjusts channels after their properties have been applied. Several of them run in the
 * order of the beans.
 */
@FunctionalInterface
public interface VerbenaChannelCustomizer {
  /**
   * Adjusts the builder, before the channel is made.
   *
   * @param name the client's, as in {@code verbena.clients.NAME}
   */
  void customize(String name, BalancedChannel.Builder channel);
}
