package io.verbena.api.wire;

/** Bytes that do not decode, or a value that may not be encoded. It fails its own call alone. */
public final class WireException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Says what does not fit, where, and the limit if there is one. */
  public WireException(String message) {
    super(message);
  }
}
