package io.verbena.core.bulk.work;

import io.verbena.api.RpcStatus;
import io.verbena.link.runtime.OwnThreads;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Does what would hold up the loop elsewhere: work of this engine's on its own threads, and what
 * calls users' code on theirs.
 */
public final class Offload {
  private static final String OWN = "no thread can be had for this end's own work: ";

  private Offload() {}

  /** Work that may fail in any way. */
  @FunctionalInterface
  public interface Work {
    void run() throws Exception;
  }

  /** Copies or sums memory; what follows runs on the loop, with what went wrong. */
  public static void compute(Threads threads, Work work, Consumer<@Nullable Throwable> then) {
    give(threads.workers().memory(), OWN, threads, work, then);
  }

  /** Does what may wait for a disk; what follows runs on the loop, with what went wrong. */
  public static void file(Threads threads, Work work, Consumer<@Nullable Throwable> then) {
    give(threads.workers().files(), OWN, threads, work, then);
  }

  /**
   * Calls users' code; what follows runs on the loop, with what went wrong. Where the users'
   * executor takes no more, that is what went wrong.
   */
  public static void call(Threads threads, Work work, Consumer<@Nullable Throwable> then) {
    give(threads.handlers(), "the handlers' executor takes no more: ", threads, work, then);
  }

  /**
   * Does the same with a call that must not be left out: where the users' executor takes no more,
   * on a thread of its own.
   */
  public static void callSurely(Threads threads, Work work, Consumer<@Nullable Throwable> then) {
    threads
        .loop()
        .runSurely(
            threads.handlers(),
            threads.workers().waiting(),
            () -> runHere(work, failure -> threads.loop().execute(() -> then.accept(failure))));
  }

  private static void give(
      Executor executor,
      String refusal,
      Threads threads,
      Work work,
      Consumer<@Nullable Throwable> then) {
    OwnThreads.hand(
        executor,
        () -> runHere(work, failure -> threads.loop().execute(() -> then.accept(failure))),
        refused -> {
          TransferProblem full =
              new TransferProblem(
                  RpcStatus.RESOURCE_EXHAUSTED,
                  refusal + TransferProblem.wordsOf(refused),
                  refused);
          threads.loop().execute(() -> then.accept(full));
        });
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
