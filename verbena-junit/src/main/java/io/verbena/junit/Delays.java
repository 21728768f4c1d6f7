package io.verbena.junit;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Lets time pass without a thread that waits. Safe for use by any thread. */
@FunctionalInterface
interface Delays {
  /** By the machine's clock. */
  Delays REAL =
      time ->
          new CompletableFuture<Void>()
              .completeOnTimeout(null, time.toNanos(), TimeUnit.NANOSECONDS);

  /** Returns what completes when so much time has passed. */
  CompletionStage<Void> after(Duration time);
}
