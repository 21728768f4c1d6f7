package io.verbena.core.bulk.work;

import io.verbena.api.RpcStatus;
import io.verbena.core.loop.LoopThread;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Does what would hold up the loop elsewhere: work of this engine's on its own threads, and what
 * calls users' code on theirs.
 */
public final class OffLoop {
  private OffLoop() {}

  /** Work that may fail in any way. */
  @FunctionalInterface
  public interface Work {
    void run() throws Exception;
  }

  /** Copies or sums memory; what follows runs on the loop, with what went wrong. */
  public static void compute(Threads threads, Work work, Consumer<@Nullable Throwable> then) {
    threads.workers().memory().execute(task(threads, work, then));
  }

  /** Does what may wait for a disk; what follows runs on the loop, with what went wrong. */
  public static void file(Threads threads, Work work, Consumer<@Nullable Throwable> then) {
    threads.workers().files().execute(task(threads, work, then));
  }

  /**
   * Calls users' code; what follows runs on the loop, with what went wrong. Where the users'
   * executor takes no more, that is what went wrong.
   */
  @SuppressWarnings("CatchingUnchecked") // users' code may throw anything
  public static void call(Threads threads, Work work, Consumer<@Nullable Throwable> then) {
    Once task = new Once(task(threads, work, then));
    try {
      threads.handlers().execute(task);
    } catch (Throwable e) {
      TransferProblem full =
          new TransferProblem(
              RpcStatus.RESOURCE_EXHAUSTED,
              "the handlers' executor takes no more: " + TransferProblem.wordsOf(e),
              e);
      if (task.take()) {
        threads.loop().execute(() -> then.accept(full));
      }
    }
  }

  /**
   * Does the same with a call that must not be left out: where the users' executor takes no more,
   * on a thread of its own.
   */
  @SuppressWarnings("CatchingUnchecked") // users' code may throw anything
  public static void callSurely(Threads threads, Work work, Consumer<@Nullable Throwable> then) {
    Once task = new Once(task(threads, work, then));
    try {
      threads.handlers().execute(task);
    } catch (Throwable e) {
      LoopThread.inBackground("verbena-bulk", task);
    }
  }

  /** A task for an executor that may throw and run it all the same: it runs once, or never. */
  private static final class Once implements Runnable {
    private final AtomicBoolean taken = new AtomicBoolean();
    private final Runnable task;

    Once(Runnable task) {
      this.task = task;
    }

    /** Returns true once: whoever hears that has it run, or be as if it had. */
    boolean take() {
      return taken.compareAndSet(false, true);
    }

    @Override
    public void run() {
      if (take()) {
        task.run();
      }
    }
  }

  private static Runnable task(Threads threads, Work work, Consumer<@Nullable Throwable> then) {
    return () -> runHere(work, failure -> threads.loop().execute(() -> then.accept(failure)));
  }

  /** Does work on this thread, and what follows, with what went wrong. */
  @SuppressWarnings("CatchingUnchecked") // users' code may throw anything
  public static void runHere(Work work, Consumer<@Nullable Throwable> then) {
    Throwable failure = null;
    try {
      work.run();
    } catch (Throwable e) {
      failure = e;
    }
    then.accept(failure);
  }
}
