package io.verbena.core.frame;

import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;
import java.util.List;

/**
 * The body of {@link FrameKind#WELCOME}.
 *
 * @param version the protocol that both speak from here on
 * @param features optional abilities, a bit each; those of {@link PeerLimits} are set or cleared as
 *     the limits say
 * @param key the session
 * @param received the highest sequence number the server has received in it; 0 in a new one
 * @param limits what the server takes
 * @param services what the server serves; none where it {@linkplain #KEEPS_CONTRACTS does not tell}
 */
public record Welcome(
    int version,
    long features,
    SessionKey key,
    long received,
    PeerLimits limits,
    List<OfferedService> services) {
  /** Of the features: the server answers only for services of which the client has a contract. */
  public static final long KEEPS_CONTRACTS = 4;

  /** Writes the body. */
  public void write(WireOut out) {
    out.writeVarInt(version);
    out.writeVarLong(limits.tellIn(features));
    key.write(out);
    out.writeVarLong(received);
    limits.write(out);
    OfferedService.writeAll(out, services);
    limits.writePing(out);
  }

  /** Reads the body; what a newer peer added behind it is left unread. */
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
