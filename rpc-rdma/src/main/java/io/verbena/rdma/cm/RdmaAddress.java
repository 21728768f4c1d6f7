package io.verbena.rdma.cm;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The text form of addresses: {@code rdma://10.0.0.7:7471}. */
final class RdmaAddress {
  private RdmaAddress() {}

  static String format(@Nullable SocketAddress address) {
    if (!(address instanceof InetSocketAddress inet) || inet.getAddress() == null) {
      return "rdma://unknown";
    }
    String host = inet.getAddress().getHostAddress();
    boolean v6 = inet.getAddress() instanceof Inet6Address;
    return "rdma://" + (v6 ? "[" + host + "]" : host) + ":" + inet.getPort();
  }

  /** Parses the addresses of links, in the form that {@link #format} writes. */
  static Set<InetAddress> of(List<String> links) {
    return links.stream()
        .map(link -> literal(URI.create(link)))
        .filter(Objects::nonNull)
        .collect(Collectors.toSet());
  }

  /** Returns the literal address in a URI; null for a name, which is never looked up here. */
  static @Nullable InetAddress literal(URI uri) {
    String host = uri.getHost();
    if (host == null || !(host.startsWith("[") || host.matches("[0-9.]+"))) {
      return null;
    }
    try {
      return InetAddress.getByName(host);
    } catch (UnknownHostException e) {
      return null;
    }
  }
}
