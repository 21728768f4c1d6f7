package io.verbena.core;

import java.net.URI;

/**
 * How users write addresses: {@code host:port} means TCP; other links have a scheme of their own.
 */
final class Addresses {
  private Addresses() {}

  static URI parse(String address) {
    try {
      URI uri = URI.create(address.contains("://") ? address : "tcp://" + address);
      String place = uri.getRawAuthority(); // its host is null where a name has an underscore
      if (uri.getScheme() != null && place != null && !place.startsWith(":")) {
        return uri;
      }
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(malformed(address), e);
    }
    throw new IllegalArgumentException(malformed(address));
  }

  private static String malformed(String address) {
    return "'" + address + "' is no address: write host:port, tcp://host:port or mem://name";
  }
}
