package io.verbena.grpc;

import io.grpc.internal.GrpcUtil;
import io.verbena.api.settings.Checks;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.net.UnknownHostException;

/**
 * The address of a server whose sessions carry gRPC's calls. Immutable.
 *
 * <p>Name resolvers of your own return such addresses: {@code new VerbenaAddress("10.0.0.7:7400")}.
 */
public final class VerbenaAddress extends SocketAddress {
  private static final long serialVersionUID = 1L;

  private final String address;

  /**
   * Makes an address.
   *
   * @param address {@code host:port}, {@code tcp://host:port} or {@code mem://name}
   */
  public VerbenaAddress(String address) {
    this.address = Checks.required("address", address);
  }

  /** Returns the address to which another name resolver leads. */
  static VerbenaAddress of(SocketAddress address) {
    if (address instanceof VerbenaAddress own) {
      return own;
    }
    InetSocketAddress socket = (InetSocketAddress) address;
    String host =
        socket.isUnresolved() ? socket.getHostString() : socket.getAddress().getHostAddress();
    return new VerbenaAddress(GrpcUtil.authorityFromHostAndPort(host, socket.getPort()));
  }

  /** Returns the address as text. */
  public String address() {
    return address;
  }

  /** Returns the authority that calls to this address have by default: its host and port. */
  String authority() {
    int scheme = address.indexOf("://");
    return scheme < 0 ? address : address.substring(scheme + 3);
  }

  /** Returns a link's address as gRPC shows it: an IP address if it has one. */
  static SocketAddress shown(String link) {
    try {
      URI uri = URI.create(link);
      String host = uri.getHost();
      if (host != null && uri.getPort() >= 0) {
        return new InetSocketAddress(InetAddress.getByName(host), uri.getPort());
      }
    } catch (IllegalArgumentException | UnknownHostException e) {
      // It is shown as it is.
    }
    return new VerbenaAddress(link);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof VerbenaAddress that && address.equals(that.address);
  }

  @Override
  public int hashCode() {
    return address.hashCode();
  }

  @Override
  public String toString() {
    return address;
  }
}
