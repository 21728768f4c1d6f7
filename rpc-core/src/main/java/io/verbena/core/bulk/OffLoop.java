package io.verbena.core.bulk;

import io.verbena.core.loop.LoopThread;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Does what may block, or is the user's: elsewhere than on the loop, unless it says so. */
final class OffLoop {
  private OffLoop() {}

  /** Work that may fail in any way. */
  @FunctionalInterface
  interface Work {
    void run() throws Exception;
  }

  /** Has work done on a handler thread; what follows runs on the loop, with what went wrong. */
  static void run(BulkHost host, Work work, Consumer<@Nullable Throwable> then) {
    try {
      host.handlers().execute(task(host, work, then));
    } catch (RejectedExecutionException e) {
      host.loop().execute(() -> then.accept(e));
    }
  }

  /**
   * Does the same with work that must not be left undone: where the handlers take no more, on a
   * thread of its own.
   */
  static void runSurely(BulkHost host, Work work, Consumer<@Nullable Throwable> then) {
    Runnable task = task(host, work, then);
    try {
      host.handlers().execute(task);
    } catch (RejectedExecutionException e) {
      LoopThread.inBackground("verbena-bulk", task);
    }
  }

  private static Runnable task(BulkHost host, Work work, Consumer<@Nullable Throwable> then) {
    return () -> runHere(work, failure -> host.loop().execute(() -> then.accept(failure)));
  }

  /** Does work on this thread, and what follows, with what went wrong. */
  @SuppressWarnings("CatchingUnchecked") // users' code may throw anything
  static void runHere(Work work, Consumer<@Nullable Throwable> then) {
    Throwable failure = null;
    try {
      work.run();
    } catch (Throwable e) {
      failure = e;
    }
    then.accept(failure);
  }
}
