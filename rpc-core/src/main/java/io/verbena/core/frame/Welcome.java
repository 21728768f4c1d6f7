package io.verbena.core.frame;

import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;
import java.util.List;

/**
 * The body of {@link FrameKind#WELCOME}.
 *
 * @param version the protocol version that both ends use from now on
 * @param features optional abilities, one bit each. Those of {@link PeerLimits} are set or cleared
 *     to match the limits
 * @param received the highest sequence number that the server has received in the session; 0 in a
 *     new one
 * @param services that the server serves; empty if it {@linkplain #KEEPS_CONTRACTS does not tell}
 */
public record Welcome(
    int version,
    long features,
    SessionKey key,
    long received,
    PeerLimits limits,
    List<OfferedService> services) {
  /**
   * The feature bit for a server that only answers about services for which the client has a
   * contract.
   */
  public static final long KEEPS_CONTRACTS = 4;

  public void write(WireOut out) {
    out.writeVarInt(version);
    out.writeVarLong(limits.tellIn(features));
    key.write(out);
    out.writeVarLong(received);
    limits.write(out);
    OfferedService.writeAll(out, services);
    limits.writePing(out);
  }

  /** Reads the body. Members that a newer peer added at its end are left unread. */
  public static Welcome read(WireIn in) {
    int version = in.readVarInt();
    long features = in.readVarLong();
    SessionKey key = SessionKey.read(in);
    long received = in.readVarLong();
    PeerLimits limits = PeerLimits.read(in);
    List<OfferedService> services = OfferedService.readAll(in);
    limits = limits.withFeatures(features, in);
    return new Welcome(version, limits.tellIn(features), key, received, limits, services);
  }
}
