package io.verbena.junit;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Delays without a waiting thread. Safe for use by any thread. */
@FunctionalInterface
interface Delays {
  /** By the machine's clock. */
  Delays REAL =
      time ->
          new CompletableFuture<Void>()
              .completeOnTimeout(null, time.toNanos(), TimeUnit.NANOSECONDS);

  /** Returns a stage that completes after this time. */
  CompletionStage<Void> after(Duration time);
}
