package io.verbena.core.frame;

import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;
import java.util.List;

/**
 * The body of {@link FrameKind#HELLO}.
 *
 * @param minVersion the oldest protocol that the client speaks
 * @param maxVersion the newest
 * @param features optional abilities, a bit each; none is defined yet
 * @param key the session to resume, or {@link SessionKey#NONE}
 * @param received the highest sequence number the client has received in that session
 * @param keptEpoch the link beside which the session only wants another first one: it carries both
 *     directions and goes on; 0 to resume everything over the new link
 * @param limits what the client takes
 * @param token the client's credentials; empty for none
 * @param services what the client serves
 */
public record Hello(
    int minVersion,
    int maxVersion,
    long features,
    SessionKey key,
    long received,
    int keptEpoch,
    PeerLimits limits,
    String token,
    List<OfferedService> services) {

  /** Writes the body. */
  public void write(WireOut out) {
    out.writeVarInt(minVersion);
    out.writeVarInt(maxVersion);
    out.writeVarLong(features);
    key.write(out);
    out.writeVarLong(received);
    out.writeVarInt(keptEpoch);
    limits.write(out);
    out.writeString(token);
    OfferedService.writeAll(out, services);
  }

  /** Reads the body; what a newer peer added behind it is left unread. */
  public static Hello read(WireIn in) {
    return new Hello(
        in.readVarInt(),
        in.readVarInt(),
        in.readVarLong(),
        SessionKey.read(in),
        in.readVarLong(),
        in.readVarInt(),
        PeerLimits.read(in),
        in.readString(),
        OfferedService.readAll(in));
  }
}
