package io.verbena.core;

import io.verbena.link.HostAndPort;
import java.net.URI;
import java.util.Locale;

/**
 * Parses addresses as users write them. {@code host:port} means TCP; other links have their own
 * scheme.
 */
final class Addresses {
  private static final String TCP = "tcp";

  private Addresses() {}

  static URI parse(String address) {
    String written = address.strip();
    int colon = written.indexOf("://");
    String scheme = colon < 0 ? TCP : written.substring(0, colon).toLowerCase(Locale.ROOT);
    String place = colon < 0 ? written : written.substring(colon + "://".length());
    try {
      if (scheme.equals(TCP)) {
        return URI.create(TCP + "://" + HostAndPort.parse(place));
      }
      URI uri = URI.create(scheme + "://" + place);
      String authority = uri.getRawAuthority();
      if (authority != null && !authority.startsWith(":")) {
        return uri;
      }
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(malformed(address), e);
    }
    throw new IllegalArgumentException(malformed(address));
  }

  private static String malformed(String address) {
    return "'"
        + address
        + "' is not an address: write host:port, tcp://host:port or mem://name, with a port up to "
        + HostAndPort.MOST_PORT;
  }
}
