package io.verbena.cli.demo;

/** No plant has the name that was asked for. */
public final class NoSuchPlant extends Exception {
  private static final long serialVersionUID = 1L;

  /** Says which. */
  public NoSuchPlant(String message) {
    super(message);
  }
}
