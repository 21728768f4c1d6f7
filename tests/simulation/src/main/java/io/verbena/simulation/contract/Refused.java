package io.verbena.simulation.contract;

/** A declared exception of handlers. */
public final class Refused extends Exception {
  private static final long serialVersionUID = 1L;

  private final long op;

  public Refused(long op) {
    super("refused: " + op);
    this.op = op;
  }

  /** Returns the number of the call. */
  public long op() {
    return op;
  }
}
