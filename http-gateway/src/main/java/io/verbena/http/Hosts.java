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
 * By which names everybody's server may be asked. A page may have its own name lead to an address
 * that only the browser's user reaches; addresses, loopback names and those of the server's cannot
 * be names of such a page. Safe for use by any thread.
 */
final class Hosts {
  private static final Pattern HOST = Pattern.compile("(\\[[0-9a-f:.]+]|[^:\\[\\]]+?)\\.?(:\\d*)?");
  private static final Pattern ADDRESS = Pattern.compile("\\[.*]|\\d+\\.\\d+\\.\\d+\\.\\d+");

  private final Set<String> names;

  /**
   * Those names.
   *
   * @param allowed more of them; {@code "*"} is any
   * @param listensAt its host is one
   */
  Hosts(Set<String> allowed, URI listensAt) {
    this.names = allowed.stream().map(Hosts::lower).collect(Collectors.toSet());
    String at = listensAt.getHost();
    if (at != null) {
      names.add(lower(at));
    }
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
