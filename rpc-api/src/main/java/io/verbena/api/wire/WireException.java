package io.verbena.api.wire;

import org.jspecify.annotations.Nullable;

/** Bytes that do not decode, or a value that may not be encoded. It fails its own call alone. */
public final class WireException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean contractsDiffer;

  /** Says what does not fit, where, and the limit if there is one. */
  public WireException(String message) {
    this(message, null, false);
  }

  /** Says what does not fit and where, and keeps what found it for a log. */
  public WireException(String message, Throwable cause) {
    this(message, cause, false);
  }

  private WireException(String message, @Nullable Throwable cause, boolean contractsDiffer) {
    super(message, cause);
    this.contractsDiffer = contractsDiffer;
  }

  /**
   * Returns whether the bytes are what another version of the contract writes, and not known to be
   * damaged.
   */
  public boolean contractsDiffer() {
    return contractsDiffer;
  }

  /** A value ends before a member that has no default: the peer's contract lacks it. */
  public static WireException missing(String member) {
    return new WireException(
        member
            + " is missing and has no default: the writer's version of the contract is without it",
        null,
        true);
  }

  /** An enum's constant or a sealed type's subtype that this side's contract does not have. */
  public static WireException unknown(String type, int number) {
    return new WireException(
        type
            + " has nothing numbered "
            + number
            + " in the reader's contract: the writer's version of it has more. Add it to the"
            + " reader's, or say there by @RpcUnknown what stands for all that is not known",
        null,
        true);
  }

  /** A type's constructor, setter or serializer threw when given what was read. */
  public static WireException refused(String type, RuntimeException cause) {
    return cause instanceof WireException already
        ? already
        : new WireException(type + " does not accept what was sent: " + cause, cause, false);
  }
}
