package io.verbena.channel;

import java.net.URI;

/**
 * Makes resolvers for the targets of one scheme. Found by {@link java.util.ServiceLoader}, as a
 * public class with a constructor without parameters.
 */
public interface ResolverProvider {
  /** Returns the scheme of the targets that it knows, in lower case: {@code dns}. */
  String scheme();

  /**
   * Makes a resolver, which does nothing yet.
   *
   * @param target what the channel was made for, such as {@code dns:///store:7400}
   * @param time the channel's time, for periods and delays
   * @throws IllegalArgumentException if the target is malformed; the message shows a right one
   */
  Resolver resolver(URI target, ChannelTime time);
}
