package io.verbena.core.bulk;

import io.verbena.api.RpcStatus;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Workers;
import io.verbena.link.runtime.OwnThreads;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The threads that move bytes, in order of decreasing reliability. User code delays only its own
 * user.
 */
public enum RunOn {
  /** Memory: the engine's own threads, never for long. */
  MEMORY,

  /** Files or mapped memory: the engine's own threads, which may wait for a disk. */
  FILES,

  /** User code: the users' executor. If that rejects the work, its exception is the failure. */
  USER;

  /** The threads for the transfers of one session. Safe for use by any thread. */
  public interface Threads {
    EventLoop loop();

    /** Returns the executor of user code. */
    Executor handlers();

    /** Returns the workers for the engine's own work outside the loop. */
    Workers workers();
  }

  /** Work that may throw anything. */
  @FunctionalInterface
  public interface Work {
    void run() throws Exception;
  }

  /** Returns the threads that read and write this memory. */
  public static RunOn of(MemorySegment memory) {
    return memory.isMapped() ? FILES : MEMORY;
  }

  /** Runs work on these threads. The callback runs on the loop with the failure, or null. */
  public void run(Threads threads, Work work, Consumer<@Nullable Throwable> then) {
    Executor executor =
        switch (this) {
          case MEMORY -> threads.workers().memory();
          case FILES -> threads.workers().files();
          case USER -> threads.handlers();
        };
    String refusal =
        this == USER
            ? "the handlers' executor rejected the work: "
            : "no thread can be started for this end's own work: ";
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

  /**
   * Runs user code like {@link #USER}, but never leaves it out. If the users' executor rejects it,
   * it runs on a new thread.
   */
  public static void callSurely(Threads threads, Work work, Consumer<@Nullable Throwable> then) {
    surely(threads, threads.handlers(), threads.workers().waiting(), work, then);
  }

  /**
   * Runs work like {@link #FILES}, but never leaves it out. If no thread can be started, it runs
   * later.
   */
  public static void tidySurely(Threads threads, Work work, Consumer<@Nullable Throwable> then) {
    Executor files = threads.workers().files();
    surely(threads, files, files, work, then);
  }

  private static void surely(
      Threads threads,
      Executor first,
      Executor otherwise,
      Work work,
      Consumer<@Nullable Throwable> then) {
    threads
        .loop()
        .runSurely(
            first,
            otherwise,
            () -> runHere(work, failure -> threads.loop().execute(() -> then.accept(failure))));
  }

  /** Runs work and the callback on this thread. The callback takes the failure, or null. */
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
