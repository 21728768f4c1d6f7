package io.verbena.core.frame;

import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The body of {@link FrameKind#HELLO}.
 *
 * @param minVersion the oldest protocol version of the client
 * @param maxVersion the newest protocol version of the client
 * @param features optional abilities, one bit each. {@link #ASKS_FOR_UPGRADE} and those of {@link
 *     PeerLimits} are set or cleared to match the other members
 * @param key the session to resume, or {@link SessionKey#NONE}
 * @param received the highest sequence number that the client has received in that session
 * @param keptEpoch the epoch of the better link that the session keeps, if it only needs another
 *     first link; 0 to resume everything over the new link
 * @param token the client's credentials; empty for none
 * @param services that the client serves
 * @param upgrade a request for a better link, which is answered after the welcome; null for none
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
    List<OfferedService> services,
    @Nullable UpgradeMessage upgrade) {
  /** The feature bit for a body that ends with a {@link UpgradeMessage}. */
  public static final long ASKS_FOR_UPGRADE = 1;

  public void write(WireOut out) {
    out.writeVarInt(minVersion);
    out.writeVarInt(maxVersion);
    long told = limits.tellIn(features);
    out.writeVarLong(upgrade == null ? told & ~ASKS_FOR_UPGRADE : told | ASKS_FOR_UPGRADE);
    key.write(out);
    out.writeVarLong(received);
    out.writeVarInt(keptEpoch);
    limits.write(out);
    out.writeString(token);
    OfferedService.writeAll(out, services);
    if (upgrade != null) {
      upgrade.write(out);
    }
    limits.writePing(out);
  }

  /** Reads the body. Members that a newer peer added at its end are left unread. */
  public static Hello read(WireIn in) {
    int minVersion = in.readVarInt();
    int maxVersion = in.readVarInt();
    long features = in.readVarLong();
    SessionKey key = SessionKey.read(in);
    long received = in.readVarLong();
    int keptEpoch = in.readVarInt();
    PeerLimits limits = PeerLimits.read(in);
    String token = in.readString();
    List<OfferedService> services = OfferedService.readAll(in);
    UpgradeMessage upgrade = (features & ASKS_FOR_UPGRADE) == 0 ? null : UpgradeMessage.read(in);
    limits = limits.withFeatures(features, in);
    return new Hello(
        minVersion,
        maxVersion,
        limits.tellIn(features),
        key,
        received,
        keptEpoch,
        limits,
        token,
        services,
        upgrade);
  }
}
