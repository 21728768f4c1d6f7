package io.verbena.channel;

import java.net.URI;

/**
 * Makes resolvers for the targets of one scheme. {@link java.util.ServiceLoader} finds it: a public
 * class with a constructor without parameters.
 */
public interface ResolverProvider {
  /** Returns its scheme, in lower case, such as {@code dns}. */
  String scheme();

  /**
   * Makes a resolver, which does nothing until it is started.
   *
   * @param target the channel's target, such as {@code dns:///store:7400}
   * @param time the channel's time, for periods and delays
   * @throws IllegalArgumentException if the target is malformed; the message shows a correct one
   */
  Resolver resolver(URI target, ChannelTime time);
}
