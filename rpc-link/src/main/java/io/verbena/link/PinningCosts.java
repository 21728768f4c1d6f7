package io.verbena.link;

/**
 * What it costs a link to pin memory of its users, by what the memory is.
 *
 * @param warm its pages are there, since somebody has written them
 * @param cold nobody has touched its pages, so that pinning it has them made and cleared
 */
public record PinningCosts(PinningCost warm, PinningCost cold) {
  /** Of a link that pins nothing, or where it is not known. */
  public static final PinningCosts NONE = new PinningCosts(PinningCost.NONE, PinningCost.NONE);
}
