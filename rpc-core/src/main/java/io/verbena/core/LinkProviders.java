package io.verbena.core;

import io.verbena.core.link.LinkProvider;
import io.verbena.core.link.UpgradeProvider;
import java.util.ServiceLoader;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

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

  /** Returns what makes better links than TCP; null where nothing on the class path does. */
  static @Nullable UpgradeProvider upgrade() {
    return ServiceLoader.load(UpgradeProvider.class).findFirst().orElse(null);
  }
}
