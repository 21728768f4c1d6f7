package io.verbena.spring;

import io.verbena.channel.BalancedChannel;
import java.util.Map;

/**
 * The application's channels, by the names of its clients. Inject this bean to make stubs by hand,
 * or for {@link BalancedChannel#stat}. Safe for use by any thread.
 */
public interface VerbenaChannels {
  /**
   * Returns the channel of a client, as in {@code StockRpc.client(channels.channel("stock"))}. It
   * is made at the first call, and closed with the context.
   *
   * @param name as in {@code verbena.clients.NAME}
   * @throws org.springframework.beans.BeansException if its target is malformed, or the context is
   *     closed
   */
  BalancedChannel channel(String name);

  /** Returns the channels that were made so far. */
  Map<String, BalancedChannel> all();
}
