package io.verbena.grpc;

import io.grpc.Attributes;
import io.grpc.EquivalentAddressGroup;

/**
 * The settings of a channel that its transports need. Immutable.
 *
 * @param mostMessage the longest message to take, in bytes
 * @param mostMetadata the largest headers or trailers to take, in bytes
 * @param encrypted whether its sessions use TLS
 * @param leaves when a channel leaves a session that has lost its connection
 */
record GrpcChannelSettings(int mostMessage, int mostMetadata, boolean encrypted, Leave leaves) {
  /** Set for an address if the channel has another one. */
  @EquivalentAddressGroup.Attr
  static final Attributes.Key<Boolean> HAS_OTHERS =
      Attributes.Key.create("io.verbena.grpc.has-others");

  /** Answers to the loss of a connection. */
  enum Leave {
    /** New calls use another session at once. */
    ALWAYS,
    /** New calls use another address at once, or wait for the session if there is none. */
    FOR_ANOTHER,
    /** New calls wait for the session. */
    NEVER
  }

  boolean leavesLostSession(Attributes ofAddress) {
    return switch (leaves) {
      case ALWAYS -> true;
      case FOR_ANOTHER -> Boolean.TRUE.equals(ofAddress.get(HAS_OTHERS));
      case NEVER -> false;
    };
  }
}
