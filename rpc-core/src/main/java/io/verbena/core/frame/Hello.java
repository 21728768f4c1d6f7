package io.verbena.core.frame;

import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The body of {@link FrameKind#HELLO}.
 *
 * @param minVersion the oldest protocol that the client speaks
 * @param maxVersion the newest
 * @param features optional abilities, a bit each; {@link #ASKS_FOR_UPGRADE} and those of {@link
 *     PeerLimits} are set or cleared as the other members say
 * @param key the session to resume, or {@link SessionKey#NONE}
 * @param received the highest sequence number the client has received in that session
 * @param keptEpoch the link beside which the session only wants another first one: it carries both
 *     directions and goes on; 0 to resume everything over the new link
 * @param limits what the client takes
 * @param token the client's credentials; empty for none
 * @param services what the client serves
 * @param upgrade what it needs to be offered a better link, behind the welcome; null if it does not
 *     ask for one now
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
  /** Of the features: the body ends with a {@link UpgradeMessage}. */
  public static final long ASKS_FOR_UPGRADE = 1;

  /** Writes the body. */
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

  /** Reads the body; what a newer peer added behind it is left unread. */
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
