package io.verbena.observe;

import io.verbena.api.Peer;

/**
 * The address of a peer, split into host and port.
 *
 * @param host its name or address; empty if it is unknown
 * @param port {@link #NONE} if it has none
 */
public record PeerAddress(String host, int port) {
  /** The value for no port. */
  public static final int NONE = -1;

  /** Splits {@link Peer#address}, such as {@code tcp://10.0.0.7:40112} or {@code mem://house}. */
  public static PeerAddress of(Peer peer) {
    String address = peer.address();
    int from = address.indexOf("://");
    String place = from < 0 ? address : address.substring(from + 3);
    int colon = place.lastIndexOf(':');
    boolean hasPort = colon >= 0 && place.indexOf(']', colon) < 0; // a colon outside of [::1]
    String host = hasPort ? place.substring(0, colon) : place;
    return new PeerAddress(unbracketed(host), hasPort ? port(place, colon + 1) : NONE);
  }

  private static String unbracketed(String host) {
    return host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
  }

  private static int port(String place, int from) {
    try {
      return Integer.parseInt(place, from, place.length(), 10);
    } catch (NumberFormatException e) {
      return NONE;
    }
  }
}
