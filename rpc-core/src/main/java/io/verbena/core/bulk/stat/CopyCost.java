package io.verbena.core.bulk.stat;

import io.verbena.link.PinningCost;
import io.verbena.link.runtime.NanoClock;
import io.verbena.link.runtime.OwnThreads;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** The cost of copies on this machine. It is measured once for the process, in the background. */
public final class CopyCost {
  /** A length near the cut-offs. */
  private static final int COPIED_BYTES = 256 << 10;

  private static final int COPIES = 16;

  private static final AtomicBoolean BEGUN = new AtomicBoolean();
  private static final CompletableFuture<Double> PER_BYTE = new CompletableFuture<>();

  private CopyCost() {}

  /** Starts the measurement unless it has begun. Returns at once. */
  public static void measure(NanoClock clock) {
    if (!BEGUN.getAndSet(true)) {
      OwnThreads.background(
          "verbena-copy-cost",
          () -> PER_BYTE.complete(measurePerByte(clock)),
          failure -> BEGUN.set(false)); // the next caller tries again
    }
  }

  /** Returns nanoseconds per byte; 0 while they are not known. */
  public static double perByte() {
    return PER_BYTE.getNow(0.0);
  }

  /**
   * Runs a callback once the cost is known, on any thread. Runs it at once if the cost is known
   * already.
   */
  public static void whenKnown(Runnable then) {
    PER_BYTE.thenRun(then);
  }

  /**
   * Measures a copy into a new array, as a message makes it. So clearing the array and loading it
   * into a cache count. Takes a few milliseconds.
   */
  static double measurePerByte(NanoClock clock) {
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
}
