package io.verbena.bench.load;

/** Says that a contestant or its path is not available. The message gives the reason. */
public final class AbsentException extends Exception {
  private static final long serialVersionUID = 1L;

  public AbsentException(String reason) {
    super(reason);
  }
}
