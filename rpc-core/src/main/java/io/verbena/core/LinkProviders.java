package io.verbena.core;

import io.verbena.link.LinkProvider;
import io.verbena.link.ProviderChoice;
import java.util.Map;

/** Finds the kinds of link that are on the class path. */
final class LinkProviders {
  /** The start of the property that names the class to use for a scheme. The scheme follows. */
  private static final String PROPERTY = "verbena.link.";

  /** Verbena's own links, for a message if one is missing. */
  private static final Map<String, Known> KNOWN =
      Map.of(
          "tcp", new Known("rpc-tcp-fallback", "io.verbena.tcp.TcpLinkProvider"),
          "mem", new Known("rpc-mem", "io.verbena.mem.InMemoryLinkProvider"));

  private record Known(String module, String provider) {
    String cure(String why) {
      if (why.contains(provider)) {
        return "";
      }
      String unlisted = ProviderChoice.unlisted(LinkProvider.class, provider);
      return unlisted.isEmpty()
          ? " Add io.verbena:" + module + " to the class path."
          : " " + unlisted + ".";
    }
  }

  private LinkProviders() {}

  static LinkProvider of(String scheme) {
    ProviderChoice<LinkProvider> all =
        ProviderChoice.of(LinkProvider.class, LinkProvider::scheme, LinkProvider::priority);
    ProviderChoice<LinkProvider> choice = all.only(scheme).named(PROPERTY + scheme);
    LinkProvider provider = choice.get(LinkProviders::isAvailable);
    if (provider == null) {
      Known known = KNOWN.get(scheme);
      String cure = known == null ? "" : known.cure(choice.whyNone());
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
    } catch (Throwable thrown) { // another provider may work
      return false;
    }
  }
}
