package io.verbena.api;

/** The certainty about whether the other end executed a failed call. */
public enum Execution {
  /** The handler did not start and will not start. Calling again is always safe. */
  NOT_EXECUTED(0),
  /** The handler may have run, may be running, or may never run. */
  UNKNOWN(1),
  /** The handler ran to its end. It failed, or its result did not reach the caller. */
  EXECUTED(2);

  private final int code;

  Execution(int code) {
    this.code = code;
  }

  /** Returns the number that stands for this certainty on the wire. */
  public int code() {
    return code;
  }

  /**
   * Returns the certainty for a number from the wire; {@link #UNKNOWN} if the number is not known
   * here.
   */
  public static Execution ofCode(int code) {
    return switch (code) {
      case 0 -> NOT_EXECUTED;
      case 2 -> EXECUTED;
      default -> UNKNOWN;
    };
  }
}
