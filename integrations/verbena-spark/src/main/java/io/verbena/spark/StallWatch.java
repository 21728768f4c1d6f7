package io.verbena.spark;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Transfer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Ends one fetch that makes no progress. {@link #follow} runs on an event loop, the rest on the
 * clock's thread.
 */
final class StallWatch {
  private static final int LOOKS = 4;

  private final Duration stall;
  private volatile @Nullable Transfer transfer;
  private volatile boolean stalled;
  private long bytes;
  private int looksInVain;

  StallWatch(Duration stall) {
    this.stall = stall;
  }

  /** Takes the transfer whose progress counts. A fetch without one makes no progress. */
  void follow(Transfer transfer) {
    this.transfer = transfer;
  }

  /**
   * Returns the outcome of a fetch, handed over on another thread than the event loop's.
   *
   * @param fetched is cancelled after a stall
   */
  CompletableFuture<Received> over(
      CompletableFuture<Received> fetched, ScheduledExecutorService clock, Executor finishers) {
    long period = stall.dividedBy(LOOKS).toNanos() + 1;
    ScheduledFuture<?> looks =
        clock.scheduleWithFixedDelay(() -> look(fetched), period, period, TimeUnit.NANOSECONDS);
    return fetched.handleAsync(
        (received, failure) -> {
          looks.cancel(false);
          if (received != null) {
            return received;
          }
          throw stalled
              ? new RpcException(
                  RpcStatus.DEADLINE_EXCEEDED,
                  "the fetch made no progress for "
                      + stall.toMillis()
                      + " ms (spark.verbena.stall); its executor may be overloaded or hang")
              : asUnchecked(failure);
        },
        finishers);
  }

  private void look(CompletableFuture<Received> fetched) {
    Transfer now = transfer;
    long moved = now == null ? 0 : now.progress().bytes();
    looksInVain = moved == bytes ? looksInVain + 1 : 0;
    bytes = moved;
    if (looksInVain >= LOOKS) {
      stalled = true;
      fetched.cancel(false);
    }
  }

  private static RuntimeException asUnchecked(@Nullable Throwable failure) {
    return failure instanceof RuntimeException unchecked
        ? unchecked
        : new IllegalStateException(failure);
  }
}
