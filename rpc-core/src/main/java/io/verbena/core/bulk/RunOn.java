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
 * Who moves bytes, and so on which threads what would hold up the loop is done; the later, the less
 * may be relied on. What a user's code does waits for nobody but that user.
 */
public enum RunOn {
  /** This engine, from memory: on its own threads, and never for long. */
  MEMORY,

  /** This engine, from files or what is mapped: on its own threads, and may wait for a disk. */
  FILES,

  /**
   * A user's code: on the users' executor. Where that takes no more, this is what goes wrong with
   * the work.
   */
  USER;

  /** Where the work of one session's transfers runs. Safe for use by any thread. */
  public interface Threads {
    /** Returns the loop that owns the session. */
    EventLoop loop();

    /** Returns what runs users' code. */
    Executor handlers();

    /** Returns what does this engine's own work elsewhere than on the loop. */
    Workers workers();
  }

  /** Work that may fail in any way. */
  @FunctionalInterface
  public interface Work {
    void run() throws Exception;
  }

  /** Returns who reads and writes memory. */
  public static RunOn of(MemorySegment memory) {
    return memory.isMapped() ? FILES : MEMORY;
  }

  /** Has work done there; what follows runs on the loop, with what went wrong. */
  public void run(Threads threads, Work work, Consumer<@Nullable Throwable> then) {
    Executor executor =
        switch (this) {
          case MEMORY -> threads.workers().memory();
          case FILES -> threads.workers().files();
          case USER -> threads.handlers();
        };
    String refusal =
        this == USER
            ? "the handlers' executor takes no more: "
            : "no thread can be had for this end's own work: ";
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
   * Calls users' code as {@link #USER} does, with a call that must not be left out: where the
   * users' executor takes no more, on a thread of its own.
   */
  public static void callSurely(Threads threads, Work work, Consumer<@Nullable Throwable> then) {
    threads
        .loop()
        .runSurely(
            threads.handlers(),
            threads.workers().waiting(),
            () -> runHere(work, failure -> threads.loop().execute(() -> then.accept(failure))));
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
