package io.verbena.simulation.contract;

/** What a handler declares to throw. */
public final class Refused extends Exception {
  private static final long serialVersionUID = 1L;

  private final long op;

  /** Of a call. */
  public Refused(long op) {
    super("refused: " + op);
    this.op = op;
  }

  /** Returns the call's number. */
  public long op() {
    return op;
  }
}
