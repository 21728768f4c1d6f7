package io.verbena.bench.load;

import org.HdrHistogram.Histogram;

/**
 * What one turn came to.
 *
 * @param nanos the time of each call, from when it was due to its answer
 * @param seconds how long calls were counted
 */
public record Turn(Histogram nanos, double seconds) {
  /** Returns how many calls were counted. */
  public long calls() {
    return nanos.getTotalCount();
  }
}
