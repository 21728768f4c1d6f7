package io.verbena.core.frame;

import io.verbena.api.wire.WireException;
import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;

/**
 * What one end takes from the other.
 *
 * @param maxMessageBytes the longest message
 * @param maxFrameBytes the longest frame
 * @param maxCalls the calls that may be under way at once
 * @param leastPingMillis how often at most it wants to be asked for a sign of life; 0, which is not
 *     told: at any time
 * @param takesLz4 whether it takes messages that are compressed
 */
public record PeerLimits(
    int maxMessageBytes, int maxFrameBytes, int maxCalls, int leastPingMillis, boolean takesLz4) {
  /**
   * Every end takes at least so many calls at once, so that calls may start before limits are
   * known.
   */
  public static final int LEAST_CALLS = 64;

  /** Every end takes frames of at least this length. */
  public static final int LEAST_FRAME_BYTES = 1024;

  /** The longest that an end may ask for, so that no peer keeps what is dead. */
  public static final int MOST_PING_MILLIS = 60_000;

  /** Of a greeting's features: behind all else stands {@link #leastPingMillis}. */
  static final long TELLS_PING = 2;

  /** Of a greeting's features: {@link #takesLz4}. */
  static final long TAKES_LZ4 = 8;

  /** Of an end that may be asked for signs of life at any time. */
  public PeerLimits(int maxMessageBytes, int maxFrameBytes, int maxCalls) {
    this(maxMessageBytes, maxFrameBytes, maxCalls, 0);
  }

  /** Of an end that takes nothing that is compressed. */
  public PeerLimits(int maxMessageBytes, int maxFrameBytes, int maxCalls, int leastPingMillis) {
    this(maxMessageBytes, maxFrameBytes, maxCalls, leastPingMillis, false);
  }

  /** Writes all but {@link #leastPingMillis}, which stands behind what older peers know. */
  void write(WireOut out) {
    out.writeVarInt(maxMessageBytes);
    out.writeVarInt(maxFrameBytes);
    out.writeVarInt(maxCalls);
  }

  static PeerLimits read(WireIn in) {
    PeerLimits limits = new PeerLimits(in.readVarInt(), in.readVarInt(), in.readVarInt());
    if (limits.maxMessageBytes < LEAST_FRAME_BYTES
        || limits.maxFrameBytes < LEAST_FRAME_BYTES
        || limits.maxCalls < LEAST_CALLS) {
      throw new WireException("the peer's limits are below what every end must take: " + limits);
    }
    return limits;
  }

  /** Returns a greeting's features with those that are told here as they are. */
  long tellIn(long features) {
    long others = features & ~(TELLS_PING | TAKES_LZ4);
    return others | (leastPingMillis == 0 ? 0 : TELLS_PING) | (takesLz4 ? TAKES_LZ4 : 0);
  }

  void writePing(WireOut out) {
    if (leastPingMillis != 0) {
      out.writeVarInt(leastPingMillis);
    }
  }

  /** Returns these limits with what a greeting's features say, and the body behind all else. */
  PeerLimits withFeatures(long features, WireIn in) {
    boolean lz4 = (features & TAKES_LZ4) != 0;
    int millis = (features & TELLS_PING) == 0 ? 0 : in.readVarInt();
    if (millis < 0 || millis > MOST_PING_MILLIS) {
      throw new WireException(
          "the peer wants to be asked for signs of life every %d ms; 0 to %d are taken"
              .formatted(millis, MOST_PING_MILLIS));
    }
    return new PeerLimits(maxMessageBytes, maxFrameBytes, maxCalls, millis, lz4);
  }
}
