package io.verbena.api.wire;

/** Bytes that do not decode, or a value that may not be encoded. It fails its own call alone. */
public final class WireException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Says what does not fit, where, and the limit if there is one. */
  public WireException(String message) {
    super(message);
  }

  private WireException(String message, Throwable cause) {
    super(message, cause);
  }

  /** A value ends before a member that has no default: the peer's contract lacks it. */
  public static WireException missing(String member) {
    return new WireException(
        member
            + " is missing and has no default: the peer's version of the contract is without it");
  }

  /** An enum's constant or a sealed type's subtype that this side's contract does not have. */
  public static WireException unknown(String type, int number) {
    return new WireException(
        type
            + " has nothing numbered "
            + number
            + " here: the peer's version of the contract is newer, or the bytes are damaged");
  }

  /** A type's constructor, setter or serializer threw when given what was read. */
  public static WireException refused(String type, RuntimeException cause) {
    return cause instanceof WireException already
        ? already
        : new WireException(type + " does not accept what was sent: " + cause, cause);
  }
}
