package io.verbena.channel;

import io.verbena.link.ProviderChoice;
import java.net.URI;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the resolver of a target. */
final class Targets {
  /** Addresses alone: to omit the scheme is the likeliest mistake. */
  private static final Pattern ADDRESSES =
      Pattern.compile("[\\w.\\[\\]-]+(:[\\w\\[\\]]*)*:\\d+(,.+)?");

  private static final Pattern SCHEME = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*):\\s*(.*)");

  /**
   * Verbena's own providers, by scheme. If one is not found, its class may still be there without
   * its service file.
   */
  private static final Map<String, String> PROVIDERS =
      Map.of(
          "static",
          StaticResolver.Provider.class.getName(),
          "dns",
          DnsResolver.Provider.class.getName(),
          Names.SCHEME,
          Names.Provider.class.getName(),
          "zookeeper",
          "io.verbena.channel.zookeeper.ZooKeeperProvider",
          "kubernetes",
          "io.verbena.channel.kubernetes.KubernetesProvider");

  private Targets() {}

  /**
   * Parses a target as users write it. Blanks around it, its colon and its commas are ignored.
   *
   * @throws IllegalArgumentException if it is malformed; the message shows a correct one
   */
  static URI parse(String target) {
    String written = target.strip().replaceAll("\\s*,\\s*", ",");
    Matcher scheme = SCHEME.matcher(written);
    try {
      return URI.create(
          scheme.matches() ? scheme.group(1) + ":" + escaped(scheme.group(2)) : written);
    } catch (IllegalArgumentException e) {
      String why =
          scheme.matches() && known().names().contains(scheme.group(1).toLowerCase(Locale.ROOT))
              ? "'%s' is malformed (%s): write a target such as %s, without blanks"
                  .formatted(target, e.getMessage(), "dns:///store.example:7400")
              : unknown(target, known());
      throw new IllegalArgumentException(why, e);
    }
  }

  /** Escapes what a URI does not take: the interface of an IPv6 address, and brackets in a path. */
  private static String escaped(String place) {
    String scoped = place.replaceAll("(\\[[^\\]%]*)%(?!25)", "$1%25");
    return place.startsWith("///") ? scoped.replace("[", "%5B").replace("]", "%5D") : scoped;
  }

  private static ProviderChoice<ResolverProvider> known() {
    return ProviderChoice.of(ResolverProvider.class, ResolverProvider::scheme, any -> 0);
  }

  private static String unknown(String target, ProviderChoice<ResolverProvider> known) {
    String written = target.strip();
    String scheme = written.substring(0, Math.max(0, written.indexOf(':')));
    String provider = PROVIDERS.get(scheme.toLowerCase(Locale.ROOT));
    String unlisted =
        provider == null ? "" : ProviderChoice.unlisted(ResolverProvider.class, provider);
    String why = known.whyNone().isEmpty() ? "" : " (" + known.whyNone() + ")";
    return "no resolver knows targets such as '%s'; known are %s%s; %s, or write static:%s"
        .formatted(
            target,
            known.names(),
            why,
            unlisted.isEmpty() || why.contains(provider)
                ? "put the module of another on the class path (io.verbena:channel-zookeeper for zookeeper, channel-kubernetes for kubernetes)"
                : unlisted,
            ADDRESSES.matcher(written).matches() ? written : "host:port");
  }

  static String scheme(URI target) {
    return String.valueOf(target.getScheme()).toLowerCase(Locale.ROOT);
  }

  /**
   * Makes the resolver of a target.
   *
   * @throws IllegalArgumentException if the target is malformed, or of an unknown scheme
   */
  static Resolver resolver(URI target, ChannelTime time) {
    String scheme = scheme(target);
    ProviderChoice<ResolverProvider> known = known();
    ResolverProvider provider = known.only(scheme).get(any -> true);
    if (provider == null) {
      throw new IllegalArgumentException(unknown(target.toString(), known));
    }
    return provider.resolver(target, time);
  }
}
