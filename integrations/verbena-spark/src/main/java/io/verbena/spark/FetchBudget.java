package io.verbena.spark;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The memory for blocks of an executor. Spark asks for more blocks ahead than a task needs to be
 * kept busy, so fetches wait here in order until tasks have consumed earlier blocks. A task that
 * consumes two shuffles by turns may release nothing while it waits, so a fetch waits for a short
 * time only. Safe for use by any thread.
 */
final class FetchBudget {
  private final long limit;
  private final long expected;
  private final Duration patience;
  private final ArrayDeque<CompletableFuture<Boolean>> waiting = new ArrayDeque<>();
  private long taken;
  private long held;

  /**
   * @param limit bytes of blocks that may be on their way, or be unconsumed
   * @param expected bytes of a fetch, as long as nobody knows
   * @param patience how long a fetch waits
   */
  FetchBudget(long limit, long expected, Duration patience) {
    this.limit = limit;
    this.expected = expected;
    this.patience = patience;
  }

  /**
   * Completes with true once a fetch has its memory, to be given back by {@link #failed} or {@link
   * #landed}, and with false if it had better land elsewhere.
   */
  synchronized CompletableFuture<Boolean> take() {
    CompletableFuture<Boolean> turn = new CompletableFuture<>();
    if (waiting.isEmpty() && hasRoom()) {
      taken += expected;
      turn.complete(true);
    } else {
      waiting.add(turn);
      turn.completeOnTimeout(false, patience.toNanos(), TimeUnit.NANOSECONDS);
    }
    return turn;
  }

  private boolean hasRoom() {
    return taken == 0 || taken + expected <= limit;
  }

  /** Says how long the blocks of a fetch are that have arrived. */
  void landed(long bytes) {
    synchronized (this) {
      held += bytes;
    }
    give(expected - bytes);
  }

  /** Gives back the memory of a fetch that has none of its blocks. */
  void failed() {
    give(expected);
  }

  /** Gives back the memory of a fetch whose blocks are consumed. */
  void consumed(long bytes) {
    synchronized (this) {
      held -= bytes;
    }
    give(bytes);
  }

  /** Those that get their turn go on without this object's lock. */
  private void give(long bytes) {
    long back = bytes;
    for (var next = next(back); next != null; next = next(back)) {
      back = next.complete(true) ? 0 : expected;
    }
  }

  private synchronized @Nullable CompletableFuture<Boolean> next(long back) {
    taken -= back;
    CompletableFuture<Boolean> next = hasRoom() ? waiting.poll() : null;
    taken += next == null ? 0 : expected;
    return next;
  }

  /** Returns the bytes of blocks that have arrived and are not consumed. */
  synchronized long held() {
    return held;
  }
}
