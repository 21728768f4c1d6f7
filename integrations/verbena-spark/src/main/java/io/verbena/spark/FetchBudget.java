package io.verbena.spark;

import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The memory for blocks of an executor. Spark asks for more blocks ahead than a task needs to be
 * kept busy, so fetches wait here in order until tasks have consumed earlier blocks. A task that
 * consumes two shuffles by turns may release nothing while it waits. So a fetch waits for a short
 * time only while blocks are there and none is released. Safe for use by any thread.
 */
final class FetchBudget {
  private final long limit;
  private final int least;
  private final long expected;
  private final Executor later;
  private final ArrayDeque<CompletableFuture<Boolean>> waiting = new ArrayDeque<>();
  private long taken;
  private int fetches;
  private long held;
  private volatile long progress;

  /**
   * @param least fetches whose blocks may be on their way, or be unconsumed, however long they are;
   *     more of them if they are shorter than expected
   * @param expected bytes of a fetch, as long as nobody knows
   * @param later runs a task when a fetch has waited for as long as it may without progress
   */
  FetchBudget(int least, long expected, Executor later) {
    this.limit = least * expected;
    this.least = least;
    this.expected = expected;
    this.later = later;
  }

  /**
   * Completes with true once a fetch has its memory, which {@link #failed} gives back, or {@link
   * #consumed} after {@link #landed}; and with false if it had better land elsewhere.
   */
  synchronized CompletableFuture<Boolean> take() {
    CompletableFuture<Boolean> turn = new CompletableFuture<>();
    if (waiting.isEmpty() && hasRoom()) {
      begin();
      turn.complete(true);
    } else {
      waiting.add(turn);
      waitForProgress(turn);
    }
    return turn;
  }

  private void waitForProgress(CompletableFuture<Boolean> turn) {
    long before = progress;
    later.execute(
        () -> {
          if (turn.isDone()) {
            return;
          }
          if (held() > 0 && progress == before) {
            turn.complete(false);
          } else {
            waitForProgress(turn);
          }
        });
  }

  private boolean hasRoom() {
    return fetches < least || taken + expected <= limit;
  }

  private void begin() {
    taken += expected;
    fetches++;
  }

  /** Says how long the blocks of a fetch are that have arrived. */
  void landed(long bytes) {
    synchronized (this) {
      held += bytes;
      progress++;
    }
    give(expected - bytes, 0);
  }

  /** Gives back the memory of a fetch that has none of its blocks. */
  void failed() {
    give(expected, 1);
  }

  /** Says that a task has consumed a block, wherever that landed. */
  synchronized void released() {
    progress++;
  }

  /** Gives back the memory of a fetch whose blocks are consumed. */
  void consumed(long bytes) {
    synchronized (this) {
      held -= bytes;
    }
    give(bytes, 1);
  }

  /** Those that get their turn go on without this object's lock. */
  private void give(long bytes, int ended) {
    for (var next = next(bytes, ended); next != null; ) {
      next = next.complete(true) ? next(0, 0) : next(expected, 1);
    }
  }

  private synchronized @Nullable CompletableFuture<Boolean> next(long bytes, int ended) {
    taken -= bytes;
    fetches -= ended;
    CompletableFuture<Boolean> next = hasRoom() ? waiting.poll() : null;
    if (next != null) {
      begin();
    }
    return next;
  }

  /** Returns the bytes of blocks that have arrived and are not consumed. */
  synchronized long held() {
    return held;
  }
}
