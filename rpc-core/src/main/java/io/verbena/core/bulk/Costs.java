package io.verbena.core.bulk;

import io.verbena.core.NanoClock;
import io.verbena.core.link.PinningCost;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * What moving values costs on this machine, over one path; in nanoseconds. 0 where it is not known.
 *
 * @param copyPerByte copying within memory, a byte
 * @param pinning pinning the caller's memory for the path
 * @param roundTrip there and back, of the smallest frame
 */
public record Costs(double copyPerByte, PinningCost pinning, double roundTrip) {
  /** Nothing is known. */
  public static final Costs UNKNOWN = new Costs(0, PinningCost.NONE, 0);

  private static final int COPIED_BYTES = 4 << 20;
  private static final int COPIES = 6;

  /**
   * Measures what copying costs: the best of a few copies of 4 MiB, too much for a second-level
   * cache, since large values are not in one either. Takes a few milliseconds.
   */
  public static double measureCopyPerByte(NanoClock clock) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment from = arena.allocate(COPIED_BYTES, PinningCost.PAGE_BYTES);
      MemorySegment to = arena.allocate(COPIED_BYTES, PinningCost.PAGE_BYTES);
      long best = Long.MAX_VALUE;
      for (int i = 0; i < COPIES; i++) {
        long start = clock.nanoTime();
        to.copyFrom(from);
        best = Math.min(best, clock.nanoTime() - start);
      }
      return (double) best / COPIED_BYTES;
    }
  }

  /** Returns these costs with another round trip. */
  public Costs withRoundTrip(double nanos) {
    return new Costs(copyPerByte, pinning, nanos);
  }
}
