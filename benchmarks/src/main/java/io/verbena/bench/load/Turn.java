package io.verbena.bench.load;

import org.HdrHistogram.Histogram;

/**
 * What one turn came to.
 *
 * @param nanos the time of each call, from when it was due to its answer; of those, too, that were
 *     under way when counting ended
 * @param calls how many calls were counted
 * @param seconds how long calls were counted
 * @param bytesBeside what was moved beside the calls meanwhile
 */
public record Turn(Histogram nanos, long calls, double seconds, long bytesBeside) {}
