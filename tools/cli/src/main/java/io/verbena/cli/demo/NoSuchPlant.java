package io.verbena.cli.demo;

/** Says that no plant has the requested name. */
public final class NoSuchPlant extends Exception {
  private static final long serialVersionUID = 1L;

  /** Makes an exception whose message contains the name. */
  public NoSuchPlant(String message) {
    super(message);
  }
}
