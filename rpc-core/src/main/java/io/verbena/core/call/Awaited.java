package io.verbena.core.call;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The result for which a blocking caller waits. Safe for use by any thread. */
public interface Awaited<R> {
  @Nullable R get(long time, TimeUnit unit)
      throws InterruptedException, ExecutionException, TimeoutException;

  /** Returns the time until the deadline in nanoseconds. */
  long nanosLeft();

  boolean cancel(boolean mayInterruptIfRunning);

  /** Waits until nothing writes to the caller's memory any more. */
  void awaitLandingFree();

  /** Waits until nothing reads the caller's memory any more. */
  void awaitArgumentsFree();
}
