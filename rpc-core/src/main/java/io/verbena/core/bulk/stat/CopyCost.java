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

/** What copying costs on this machine: measured once for the process, in the background. */
public final class CopyCost {
  /** About where the cut-offs are. */
  private static final int COPIED_BYTES = 256 << 10;

  private static final int COPIES = 16;

  private static final AtomicBoolean BEGUN = new AtomicBoolean();
  private static final CompletableFuture<Double> PER_BYTE = new CompletableFuture<>();

  private CopyCost() {}

  /** Has it measured, unless it has been or is being. Returns at once. */
  public static void measure(NanoClock clock) {
    if (!BEGUN.getAndSet(true)) {
      OwnThreads.background(
          "verbena-copy-cost",
          () -> PER_BYTE.complete(measurePerByte(clock)),
          failure -> BEGUN.set(false)); // the next one to ask tries again
    }
  }

  /** Returns nanoseconds for a byte; 0 while it is not known. */
  public static double perByte() {
    return PER_BYTE.getNow(0.0);
  }

  /** Runs something once it is known, on any thread; at once if it is. */
  public static void whenKnown(Runnable then) {
    PER_BYTE.thenRun(then);
  }

  /**
   * Measures what a copy costs: into a new array, as each that a message makes, so that clearing it
   * and fetching its memory into a cache count. Takes a few milliseconds.
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
