package io.verbena.core.bulk.cost;

import io.verbena.link.runtime.NanoClock;
import io.verbena.link.runtime.OwnThreads;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** What copying costs on this machine: measured once for the process, in the background. */
public final class CopyCost {
  private static final AtomicBoolean BEGUN = new AtomicBoolean();
  private static final CompletableFuture<Double> PER_BYTE = new CompletableFuture<>();

  private CopyCost() {}

  /** Has it measured, unless it has been or is being. Returns at once. */
  public static void measure(NanoClock clock) {
    if (!BEGUN.getAndSet(true)) {
      OwnThreads.background(
          "verbena-copy-cost",
          () -> PER_BYTE.complete(Costs.measureCopyPerByte(clock)),
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
}
