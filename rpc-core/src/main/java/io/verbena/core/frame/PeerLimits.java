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
 */
public record PeerLimits(int maxMessageBytes, int maxFrameBytes, int maxCalls) {
  /**
   * Every end takes at least so many calls at once, so that calls may start before limits are
   * known.
   */
  public static final int LEAST_CALLS = 64;

  /** Every end takes frames of at least this length. */
  public static final int LEAST_FRAME_BYTES = 1024;

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
}
