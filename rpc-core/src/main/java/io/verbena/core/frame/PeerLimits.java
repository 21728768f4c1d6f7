package io.verbena.core.frame;

import io.verbena.api.wire.WireException;
import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;

/**
 * The limits of one end for the other.
 *
 * @param maxMessageBytes the length of the longest message
 * @param maxFrameBytes the length of the longest frame
 * @param maxCalls the largest number of calls in flight
 * @param leastPingMillis the shortest interval of pings; 0 for no limit, which is not sent
 * @param takesLz4 whether it accepts compressed messages
 * @param answersSeveral whether it accepts several requests for items of a stream at once
 * @param pushesEarly whether it pushes into memory that was granted before the offer, and gives
 *     such memory back that it does not use
 */
public record PeerLimits(
    int maxMessageBytes,
    int maxFrameBytes,
    int maxCalls,
    int leastPingMillis,
    boolean takesLz4,
    boolean answersSeveral,
    boolean pushesEarly) {
  /**
   * The number of calls that every end accepts, so that calls may start before the limits are
   * known.
   */
  public static final int LEAST_CALLS = 64;

  /** The length of frames that every end accepts. */
  public static final int LEAST_FRAME_BYTES = 1024;

  /** The longest interval of pings that an end may request, so that no peer keeps a dead link. */
  public static final int MOST_PING_MILLIS = 60_000;

  /** The feature bit for {@link #leastPingMillis} at the end of the body. */
  static final long TELLS_PING = 2;

  /** The feature bit for {@link #takesLz4}. */
  static final long TAKES_LZ4 = 8;

  /** The feature bit for {@link #answersSeveral}. */
  static final long ANSWERS_SEVERAL = 16;

  /** The feature bit for {@link #pushesEarly}. */
  static final long PUSHES_EARLY = 32;

  /** Makes the limits of an end that allows pings at any time. */
  public PeerLimits(int maxMessageBytes, int maxFrameBytes, int maxCalls) {
    this(maxMessageBytes, maxFrameBytes, maxCalls, 0);
  }

  /** Makes the limits of an end without optional abilities. */
  public PeerLimits(int maxMessageBytes, int maxFrameBytes, int maxCalls, int leastPingMillis) {
    this(maxMessageBytes, maxFrameBytes, maxCalls, leastPingMillis, false, false, false);
  }

  /**
   * Writes all members except {@link #leastPingMillis}, which follows the members that older peers
   * know.
   */
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
      throw new WireException("the peer's limits are below the minimum of every end: " + limits);
    }
    return limits;
  }

  /** Returns a greeting's features, with the bits of these limits set or cleared. */
  long tellIn(long features) {
    long others = features & ~(TELLS_PING | TAKES_LZ4 | ANSWERS_SEVERAL | PUSHES_EARLY);
    return others
        | (leastPingMillis == 0 ? 0 : TELLS_PING)
        | (takesLz4 ? TAKES_LZ4 : 0)
        | (answersSeveral ? ANSWERS_SEVERAL : 0)
        | (pushesEarly ? PUSHES_EARLY : 0);
  }

  void writePing(WireOut out) {
    if (leastPingMillis != 0) {
      out.writeVarInt(leastPingMillis);
    }
  }

  /** Returns these limits with the members that a greeting's features announce. */
  PeerLimits withFeatures(long features, WireIn in) {
    boolean lz4 = (features & TAKES_LZ4) != 0;
    boolean several = (features & ANSWERS_SEVERAL) != 0;
    boolean early = (features & PUSHES_EARLY) != 0;
    int millis = (features & TELLS_PING) == 0 ? 0 : in.readVarInt();
    if (millis < 0 || millis > MOST_PING_MILLIS) {
      throw new WireException(
          "the peer requests pings every %d ms; the range is 0 to %d"
              .formatted(millis, MOST_PING_MILLIS));
    }
    return new PeerLimits(maxMessageBytes, maxFrameBytes, maxCalls, millis, lz4, several, early);
  }
}
