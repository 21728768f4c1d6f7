package io.verbena.api.wire;

import org.jspecify.annotations.Nullable;

/** A failure to decode bytes or to encode a value. It fails its own call alone. */
public final class WireException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean contractsDiffer;

  /**
   * Makes a failure.
   *
   * @param message the problem, its place, and the limit if there is one
   */
  public WireException(String message) {
    this(message, null, false);
  }

  /**
   * Makes a failure with a cause for the log.
   *
   * @param message the problem and its place
   */
  public WireException(String message, Throwable cause) {
    this(message, cause, false);
  }

  private WireException(String message, @Nullable Throwable cause, boolean contractsDiffer) {
    super(message, cause);
    this.contractsDiffer = contractsDiffer;
  }

  /**
   * Returns whether another version of the contract may have written the bytes. False if they are
   * damaged.
   */
  public boolean contractsDiffer() {
    return contractsDiffer;
  }

  /**
   * Returns a failure for a value that ends before a member without a default, because the peer's
   * contract lacks that member.
   */
  public static WireException missing(String member) {
    return new WireException(
        member + " is missing and has no default: the writer's version of the contract lacks it",
        null,
        true);
  }

  /**
   * Returns a failure for an enum constant or a subtype that this side's contract does not have.
   */
  public static WireException unknown(String type, int number) {
    return new WireException(
        type
            + " has nothing numbered "
            + number
            + " in the reader's contract, but the writer's version has it. Add it to the reader's"
            + " contract, or mark there by @RpcUnknown a constant or subtype for unknown values",
        null,
        true);
  }

  /**
   * Returns a failure for a type whose constructor, setter or serializer threw on the values that
   * were read.
   */
  public static WireException refused(String type, RuntimeException cause) {
    return cause instanceof WireException already
        ? already
        : new WireException(
            type + " does not accept the value that was sent: " + cause, cause, false);
  }
}
