package io.verbena.bench.load;

/** A contestant, or its path, is not there; the message says why. */
public final class AbsentException extends Exception {
  private static final long serialVersionUID = 1L;

  /** With the reason, in words. */
  public AbsentException(String reason) {
    super(reason);
  }
}
