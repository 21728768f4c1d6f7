package io.verbena.samples.spring;

/** There are fewer than were asked for. Crosses the wire by its accessor and its constructor. */
public final class OutOfStock extends Exception {
  private static final long serialVersionUID = 1L;

  /** Says what is missing. */
  public OutOfStock(String message) {
    super(message);
  }
}
