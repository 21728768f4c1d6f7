package io.verbena.core;

import io.verbena.link.LinkProvider;
import io.verbena.link.ProviderChoice;
import java.util.Map;

/** Finds the kinds of link that are on the class path. */
final class LinkProviders {
  /** Before the scheme: names the class to use for it, where there are several. */
  private static final String PROPERTY = "verbena.link.";

  /** The links that Verbena has, for programs that left one out. */
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
    } catch (Throwable thrown) { // the next one may do
      return false;
    }
  }
}
