package io.verbena.core.bulk.cost;

import io.verbena.link.PinningCost;
import io.verbena.link.PinningCosts;
import io.verbena.link.runtime.NanoClock;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

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

  /** About where the cut-offs are. */
  private static final int COPIED_BYTES = 256 << 10;

  private static final int COPIES = 16;

  /**
   * Measures what a copy costs: into a new array, as each that a message makes, so that clearing it
   * and fetching its memory into a cache count. Takes a few milliseconds.
   */
  public static double measureCopyPerByte(NanoClock clock) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment from = arena.allocate(COPIED_BYTES, PinningCost.PAGE_BYTES);
      long[] nanos = new long[COPIES];
      byte[][] copies = new byte[COPIES][];
      for (int i = 0; i < COPIES; i++) {
        long start = clock.nanoTime();
        copies[i] = from.toArray(ValueLayout.JAVA_BYTE);
        nanos[i] = clock.nanoTime() - start;
      }
      Arrays.sort(nanos);
      return (double) nanos[COPIES / 2] / COPIED_BYTES;
    }
  }

  /** Returns these costs with another round trip. */
  public Costs withRoundTrip(double nanos) {
    return new Costs(copyPerByte, pinning, nanos);
  }
}
