package io.verbena.grpc;

import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.InternalChannelz;
import io.grpc.SecurityLevel;
import io.grpc.internal.GrpcAttributes;
import io.verbena.core.CarriedCalls;
import java.net.SocketAddress;
import java.util.Map;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * What gRPC tells its users about a transport: addresses and TLS.
 *
 * @param tls the TLS session; null without TLS
 */
record TransportFacts(SocketAddress local, SocketAddress remote, @Nullable SSLSession tls) {
  static TransportFacts of(CarriedCalls.@Nullable Ends ends, SocketAddress otherwise) {
    return ends == null
        ? new TransportFacts(otherwise, otherwise, null)
        : new TransportFacts(
            VerbenaAddress.shown(ends.local()), VerbenaAddress.shown(ends.remote()), ends.tls());
  }

  /** Returns the attributes of gRPC. */
  Attributes attributes(boolean withinProcess) {
    SecurityLevel level =
        tls != null || withinProcess ? SecurityLevel.PRIVACY_AND_INTEGRITY : SecurityLevel.NONE;
    Attributes.Builder attributes =
        Attributes.newBuilder()
            .set(Grpc.TRANSPORT_ATTR_LOCAL_ADDR, local)
            .set(Grpc.TRANSPORT_ATTR_REMOTE_ADDR, remote)
            .set(GrpcAttributes.ATTR_SECURITY_LEVEL, level);
    if (tls != null) {
      attributes.set(Grpc.TRANSPORT_ATTR_SSL_SESSION, tls);
    }
    return attributes.build();
  }

  /**
   * Returns the statistics of a transport for channelz.
   *
   * @param options of the socket, by their names in C
   */
  InternalChannelz.SocketStats stats(
      InternalChannelz.TransportStats counted, Map<String, String> options) {
    InternalChannelz.SocketOptions.Builder known = new InternalChannelz.SocketOptions.Builder();
    options.forEach(
        (name, value) -> {
          if (name.equals("SO_LINGER")) {
            known.setSocketOptionLingerSeconds(Integer.valueOf(value));
          } else {
            known.addOption(name, value);
          }
        });
    return new InternalChannelz.SocketStats(
        counted,
        local,
        remote,
        known.build(),
        tls == null ? null : new InternalChannelz.Security(new InternalChannelz.Tls(tls)));
  }
}
