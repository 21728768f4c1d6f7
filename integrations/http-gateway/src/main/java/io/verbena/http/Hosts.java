package io.verbena.http;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The host names for which requests are accepted. A hostile page may map its own name to an address
 * that only the user's browser reaches (DNS rebinding). Such a page cannot use addresses, loopback
 * names or the server's own names. Safe for use by any thread.
 */
final class Hosts {
  private static final Pattern HOST = Pattern.compile("(\\[[0-9a-f:.]+]|[^:\\[\\]]+?)\\.?(:\\d*)?");
  private static final Pattern WELL_FORMED =
      Pattern.compile("(\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9._~%!$&'()*+;=-]+)(:\\d*)?");
  private static final Pattern ADDRESS = Pattern.compile("\\[.*]|\\d+\\.\\d+\\.\\d+\\.\\d+");

  private final Set<String> names;

  /**
   * Makes the set of names.
   *
   * @param allowed further names; {@code "*"} allows any
   * @param listensAt its host is allowed too
   */
  Hosts(Set<String> allowed, URI listensAt) {
    this.names = allowed.stream().map(Hosts::lower).collect(Collectors.toSet());
    String at = listensAt.getHost();
    if (at != null) {
      names.add(lower(at));
    }
  }

  /** Returns whether a header {@code Host} is one, whichever host it names. */
  static boolean isWellFormed(String host) {
    return WELL_FORMED.matcher(host).matches();
  }

  /** Returns whether a request with this header {@code Host} may be answered. */
  boolean allow(String host) {
    Matcher parts = HOST.matcher(lower(host));
    if (!parts.matches()) {
      return false;
    }
    String name = parts.group(1);
    return names.contains("*")
        || ADDRESS.matcher(name).matches()
        || name.equals("localhost")
        || name.endsWith(".localhost")
        || names.contains(name)
        || name.equals(machine());
  }

  private static String lower(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  private static String machine() {
    try {
      return lower(InetAddress.getLocalHost().getHostName());
    } catch (UnknownHostException e) {
      return "localhost";
    }
  }
}
