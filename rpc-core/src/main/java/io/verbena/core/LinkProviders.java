package io.verbena.core;

import io.verbena.core.link.LinkProvider;
import io.verbena.core.link.ProviderChoice;
import java.util.Map;

/** Finds the kinds of link that are on the class path. */
final class LinkProviders {
  /** Before the scheme: names the class to use for it, where there are several. */
  private static final String PROPERTY = "verbena.link.";

  /** Which module has the link of a scheme, for who has left it out. */
  private static final Map<String, String> MODULES =
      Map.of("tcp", "rpc-tcp-fallback", "mem", "rpc-mem");

  private LinkProviders() {}

  static LinkProvider of(String scheme) {
    ProviderChoice<LinkProvider> all =
        ProviderChoice.of(LinkProvider.class, LinkProvider::scheme, LinkProvider::priority);
    ProviderChoice<LinkProvider> choice = all.only(scheme).named(PROPERTY + scheme);
    LinkProvider provider = choice.get(LinkProviders::isAvailable);
    if (provider == null) {
      String module = MODULES.get(scheme);
      String cure = module == null ? "" : " Add io.verbena:" + module + " to the class path.";
      String why = choice.whyNone().isEmpty() ? "" : " (" + choice.whyNone() + ")";
      throw new IllegalArgumentException(
          "no link for '%s://' on the class path, only for %s%s.%s"
              .formatted(scheme, all.names().stream().distinct().sorted().toList(), why, cure));
    }
    return provider;
  }

  private static boolean isAvailable(LinkProvider provider) {
    try {
      return provider.isAvailable();
    } catch (Throwable thrown) { // the next one may do
      return false;
    }
  }
}
