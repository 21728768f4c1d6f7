package io.verbena.link;

/**
 * What it costs a link to pin memory of its users, and to let go of it again, in nanoseconds.
 *
 * @param fixed for any memory
 * @param perPage for each page of {@link #PAGE_BYTES}
 */
public record PinningCost(double fixed, double perPage) {
  /** The smallest page; larger ones make pinning cheaper than is reckoned here. */
  public static final int PAGE_BYTES = 4096;

  /** Of a link that pins nothing. */
  public static final PinningCost NONE = new PinningCost(0, 0);

  /**
   * Returns the cost that two measurements tell.
   *
   * @param fewNanos what so few pages took
   * @param manyNanos what so many pages took; more pages than few
   */
  public static PinningCost of(long few, double fewNanos, long many, double manyNanos) {
    double perPage = Math.max(0, (manyNanos - fewNanos) / (many - few));
    return new PinningCost(Math.max(0, fewNanos - perPage * few), perPage);
  }
}
