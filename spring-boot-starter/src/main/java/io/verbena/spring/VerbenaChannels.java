package io.verbena.spring;

import io.verbena.channel.BalancedChannel;
import java.util.Map;

/**
 * The application's channels, by the names of its clients: a bean, for stubs that are made by hand
 * and for {@link BalancedChannel#stat}. Safe for use by any thread.
 */
public interface VerbenaChannels {
  /**
   * Returns the channel of a client, which is made when it is first asked for and closed with the
   * context: {@code StockRpc.client(channels.channel("stock"))}.
   *
   * @param name as in {@code verbena.clients.NAME}
   * @throws org.springframework.beans.BeansException if its target cannot be used, or the context
   *     is closed
   */
  BalancedChannel channel(String name);

  /** Returns those that were made so far. */
  Map<String, BalancedChannel> all();
}
