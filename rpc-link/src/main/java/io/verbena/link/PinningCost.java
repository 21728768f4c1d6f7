package io.verbena.link;

/**
 * The time that a link needs to pin and unpin memory of users, in nanoseconds. The memory has been
 * written before, so its pages exist.
 *
 * @param fixed the time for memory of any length
 * @param perPage the additional time for each page of {@link #PAGE_BYTES}
 */
public record PinningCost(double fixed, double perPage) {
  /** The length of the smallest page. Larger pages make pinning cheaper than calculated here. */
  public static final int PAGE_BYTES = 4096;

  /** The cost on a link that pins nothing. */
  public static final PinningCost NONE = new PinningCost(0, 0);

  /**
   * Returns the cost that follows from two measurements.
   *
   * @param few the smaller number of pages
   * @param fewNanos the time for few pages
   * @param many the larger number of pages
   * @param manyNanos the time for many pages
   */
  public static PinningCost of(long few, double fewNanos, long many, double manyNanos) {
    double perPage = Math.max(0, (manyNanos - fewNanos) / (many - few));
    return new PinningCost(Math.max(0, fewNanos - perPage * few), perPage);
  }
}
