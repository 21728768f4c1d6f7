package io.verbena.core.call;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** What a blocking caller waits for. Safe for any thread. */
public interface Awaited<R> {
  /** Waits for the result. */
  @Nullable R get(long time, TimeUnit unit)
      throws InterruptedException, ExecutionException, TimeoutException;

  /** Returns how long it is until its deadline, in nanoseconds. */
  long nanosLeft();

  /** Gives it up. */
  boolean cancel(boolean mayInterruptIfRunning);

  /** Waits until nothing is written into memory of the caller's any more. */
  void awaitLandingFree();

  /** Waits until nothing is read from the caller's memory any more. */
  void awaitArgumentsFree();
}
