package io.verbena.channel;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.ServiceLoader;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** From a target to the resolver that knows it. */
final class Targets {
  /** Addresses alone: the likeliest slip is to leave out what stands before them. */
  private static final Pattern ADDRESSES =
      Pattern.compile("[\\w.\\[\\]-]+(:[\\w\\[\\]]*)*:\\d+(,.+)?");

  private static final Pattern SCHEME = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*):\\s*(.*)");

  private Targets() {}

  /**
   * Reads a target as users write it: blanks around it, its colon and its commas count for nothing.
   *
   * @throws IllegalArgumentException if it is none; the message shows a right one
   */
  static URI parse(String target) {
    String written = target.strip().replaceAll("\\s*,\\s*", ",");
    Matcher scheme = SCHEME.matcher(written);
    try {
      return URI.create(scheme.matches() ? scheme.group(1) + ":" + scheme.group(2) : written);
    } catch (IllegalArgumentException e) {
      String why =
          scheme.matches() && schemes().contains(scheme.group(1).toLowerCase(Locale.ROOT))
              ? "'%s' is no target (%s): write one such as %s, without blanks or brackets"
                  .formatted(target, e.getMessage(), "dns:///store.example:7400")
              : unknown(target, schemes());
      throw new IllegalArgumentException(why, e);
    }
  }

  private static List<String> schemes() {
    return ServiceLoader.load(ResolverProvider.class).stream()
        .map(provider -> provider.get().scheme())
        .toList();
  }

  private static String unknown(String target, List<String> known) {
    String written = target.strip();
    return "nobody knows targets such as '%s': known are %s; put the module of another on the class path (io.verbena:channel-zookeeper for zookeeper, channel-kubernetes for kubernetes), or write static:%s"
        .formatted(target, known, ADDRESSES.matcher(written).matches() ? written : "host:port");
  }

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
    throw new IllegalArgumentException(unknown(target.toString(), known));
  }
}
