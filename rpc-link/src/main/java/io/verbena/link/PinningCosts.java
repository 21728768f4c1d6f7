package io.verbena.link;

/**
 * The time that a link needs to pin memory of users, for two states of the memory.
 *
 * @param warm for memory whose pages exist, because it has been written
 * @param cold for memory that has never been touched, so that pinning must allocate and clear its
 *     pages
 */
public record PinningCosts(PinningCost warm, PinningCost cold) {
  /** The cost on a link that pins nothing, or whose cost is unknown. */
  public static final PinningCosts NONE = new PinningCosts(PinningCost.NONE, PinningCost.NONE);
}
