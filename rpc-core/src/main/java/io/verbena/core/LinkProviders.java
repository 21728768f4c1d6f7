package io.verbena.core;

import io.verbena.core.link.LinkProvider;
import java.util.ServiceLoader;
import java.util.TreeMap;

/** Finds the kinds of link that are on the class path. */
final class LinkProviders {
  private LinkProviders() {}

  static LinkProvider of(String scheme) {
    TreeMap<String, LinkProvider> found = new TreeMap<>();
    ServiceLoader.load(LinkProvider.class).forEach(one -> found.put(one.scheme(), one));
    LinkProvider provider = found.get(scheme);
    if (provider == null) {
      String cure =
          scheme.equals("tcp") ? " Add io.verbena:rpc-tcp-fallback to the class path." : "";
      throw new IllegalArgumentException(
          "no link for '%s://' on the class path, only for %s.%s"
              .formatted(scheme, found.keySet(), cure));
    }
    return provider;
  }
}
