package io.verbena.core;

import java.net.URI;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses addresses as users write them. {@code host:port} means TCP; other links have their own
 * scheme.
 */
final class Addresses {
  /**
   * The pattern that the TCP link accepts. A port has at most five digits, and nothing follows it.
   */
  private static final Pattern HOST_AND_PORT = Pattern.compile("(\\[[^\\]]+]|[\\w.-]+):(\\d{1,5})");

  private static final int MOST_PORT = 0xffff;

  private Addresses() {}

  static URI parse(String address) {
    try {
      URI uri = URI.create(address.contains("://") ? address : "tcp://" + address);
      String place = uri.getRawAuthority(); // getHost() is null if a name has an underscore
      boolean named = uri.getScheme() != null && place != null && !place.startsWith(":");
      if (named && (!"tcp".equals(uri.getScheme()) || isHostAndPort(place))) {
        return uri;
      }
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(malformed(address), e);
    }
    throw new IllegalArgumentException(malformed(address));
  }

  private static boolean isHostAndPort(String place) {
    Matcher written = HOST_AND_PORT.matcher(place);
    return written.matches() && Integer.parseInt(written.group(2)) <= MOST_PORT;
  }

  private static String malformed(String address) {
    return "'"
        + address
        + "' is not an address: write host:port, tcp://host:port or mem://name, with a port up to "
        + MOST_PORT;
  }
}
