package io.verbena.core.bulk.stat;

import io.verbena.link.PinningCost;

/**
 * The costs of moving values on this machine over one path, in nanoseconds; 0 if not known.
 *
 * @param copyPerByte per byte copied into new memory
 * @param pinning to pin the user's memory for the path
 * @param roundTrip of the smallest frame
 */
public record Costs(double copyPerByte, PinningCost pinning, double roundTrip) {
  /** No cost is known. */
  public static final Costs UNKNOWN = new Costs(0, PinningCost.NONE, 0);
}
