package io.verbena.channel;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.ServiceLoader;

/** From a target to the resolver that knows it. */
final class Targets {
  private Targets() {}

  static String scheme(URI target) {
    return String.valueOf(target.getScheme()).toLowerCase(Locale.ROOT);
  }

  /**
   * Makes the resolver of a target.
   *
   * @throws IllegalArgumentException if the target is malformed, or of a scheme that nobody knows
   */
  static Resolver resolver(URI target, ChannelTime time) {
    String scheme = scheme(target);
    List<String> known = new ArrayList<>();
    for (ResolverProvider provider : ServiceLoader.load(ResolverProvider.class)) {
      if (provider.scheme().equals(scheme)) {
        return provider.resolver(target, time);
      }
      known.add(provider.scheme());
    }
    throw new IllegalArgumentException(
        "nobody knows targets such as '%s': known are %s; put the module of another on the class path, or write static:host:port"
            .formatted(target, known));
  }
}
