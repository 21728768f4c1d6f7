package io.verbena.core.bulk.stat;

import io.verbena.link.PinningCosts;

/**
 * What moving values costs on this machine, over one path; in nanoseconds. 0 where it is not known.
 *
 * @param copyPerByte copying into new memory, a byte
 * @param pinning pinning the user's memory for the path
 * @param roundTrip there and back, of the smallest frame
 */
public record Costs(double copyPerByte, PinningCosts pinning, double roundTrip) {
  /** Nothing is known. */
  public static final Costs UNKNOWN = new Costs(0, PinningCosts.NONE, 0);
}
