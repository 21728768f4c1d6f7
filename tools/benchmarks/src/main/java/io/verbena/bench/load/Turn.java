package io.verbena.bench.load;

import org.HdrHistogram.Histogram;

/**
 * The result of one turn.
 *
 * @param nanos the time of each call from its due time to its answer, including calls that ended
 *     after counting
 * @param calls the number of counted calls
 * @param seconds the time of counting
 * @param bytesBeside the bytes that were moved beside the calls in that time
 */
public record Turn(Histogram nanos, long calls, double seconds, long bytesBeside) {}
