package io.verbena.samples.services;

/**
 * There are fewer than requested. The exception crosses the wire by its accessor and its
 * constructor.
 */
public final class OutOfStock extends Exception {
  private static final long serialVersionUID = 1L;

  /** Names the missing articles. */
  public OutOfStock(String message) {
    super(message);
  }
}
