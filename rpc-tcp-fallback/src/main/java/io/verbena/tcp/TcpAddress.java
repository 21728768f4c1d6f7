package io.verbena.tcp;

import io.netty.util.NetUtil;
import io.verbena.link.HostAndPort;
import io.verbena.link.LinkException;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * A {@code tcp://HOST:PORT} address.
 *
 * @param host a name or a literal address, without the brackets of IPv6
 * @param port 0 to 65535
 */
record TcpAddress(String host, int port) {
  static final String SCHEME = "tcp";

  static TcpAddress of(URI uri) throws LinkException {
    try {
      if (SCHEME.equals(uri.getScheme()) && uri.getRawAuthority() != null) {
        HostAndPort written = HostAndPort.parse(uri.getRawAuthority());
        return new TcpAddress(written.host(), written.port());
      }
    } catch (IllegalArgumentException e) {
      // The failure is reported below.
    }
    throw new LinkException(
        "'"
            + uri
            + "' is not a TCP address; write tcp://HOST:PORT, such as tcp://10.0.0.7:7400 or"
            + " tcp://[::1]:7400",
        null);
  }

  static String text(@Nullable InetSocketAddress address) {
    if (address == null) {
      return SCHEME + "://?";
    }
    // An unresolved address has no InetAddress; addresses of sockets have one.
    InetAddress ip = address.getAddress();
    return new TcpAddress(NetUtil.toAddressString(ip), address.getPort()).toString();
  }

  /** Returns the address of a literal, without a look-up; null for a name. */
  @Nullable InetAddress literal() {
    return NetUtil.createInetAddressFromIpAddressString(host);
  }

  /**
   * Returns the reason why this process cannot use an address, with its cure, if it has no IPv6;
   * else null.
   */
  static @Nullable String lacksIpv6(@Nullable InetAddress ip) {
    if (!(ip instanceof Inet6Address)) {
      return null;
    }
    try {
      SocketChannel.open(StandardProtocolFamily.INET6).close();
      return null;
    } catch (UnsupportedOperationException e) {
      String cure =
          Boolean.getBoolean("java.net.preferIPv4Stack")
              ? "start it without -Djava.net.preferIPv4Stack=true"
              : "turn IPv6 on for this machine or container";
      return "this JVM has no IPv6: " + cure + ", or use an IPv4 address";
    } catch (IOException e) {
      return null; // unknown
    }
  }

  @Override
  public String toString() {
    return SCHEME + "://" + new HostAndPort(host, port);
  }
}
