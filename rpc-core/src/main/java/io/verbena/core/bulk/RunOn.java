package io.verbena.core.bulk;

import io.verbena.api.RpcStatus;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Timers;
import io.verbena.core.loop.Workers;
import io.verbena.link.runtime.OwnThreads;
import io.verbena.link.runtime.ThrottledLog;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The threads that move bytes: for memory, for files of one place, or for user code, in order of
 * decreasing reliability. User code delays only its own user, and a disk only its own files.
 * Immutable.
 */
public final class RunOn {
  /** Memory: the engine's own threads, never for long. */
  public static final RunOn MEMORY = new RunOn(Kind.MEMORY, FilePlace.MAPPED, "");

  /** User code: the users' executor. If that rejects the work, its exception is the failure. */
  public static final RunOn USER = new RunOn(Kind.USER, FilePlace.MAPPED, "");

  /** Mapped memory, whose file is not known. */
  public static final RunOn MAPPED = files(FilePlace.MAPPED, "a mapped file");

  private static final ThrottledLog SLOW =
      ThrottledLog.of(RunOn.class, "files that did not answer for 10 s");

  private static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(10);

  private enum Kind {
    MEMORY,
    FILES,
    USER
  }

  private final Kind kind;
  private final FilePlace place;
  private final String file;

  private RunOn(Kind kind, FilePlace place, String file) {
    this.kind = kind;
    this.place = place;
    this.file = file;
  }

  /**
   * Returns the engine's own threads that may wait for a disk.
   *
   * @param file its name, for the log
   */
  public static RunOn files(FilePlace place, String file) {
    return new RunOn(Kind.FILES, place, file);
  }

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
    return memory.isMapped() ? MAPPED : MEMORY;
  }

  /** Returns the less reliable one. */
  RunOn or(RunOn other) {
    return kind.compareTo(other.kind) >= 0 ? this : other;
  }

  /** Returns whether the work may wait for another machine or another process. */
  public boolean isRemote() {
    return place.remote();
  }

  /** Returns whether the work may wait for a disk. */
  public boolean isFiles() {
    return kind == Kind.FILES;
  }

  private Executor executor(Threads threads) {
    return switch (kind) {
      case MEMORY -> threads.workers().memory();
      case FILES -> threads.workers().files().at(place);
      case USER -> threads.handlers();
    };
  }

  /**
   * Runs work on these threads. The callback runs on the loop with the failure, or null. On the
   * loop.
   */
  public void run(Threads threads, Work work, Consumer<@Nullable Throwable> then) {
    Consumer<@Nullable Throwable> hears = watched(threads, then);
    String refusal =
        kind == Kind.USER
            ? "the handlers' executor rejected the work: "
            : "no thread can be started for this end's own work: ";
    OwnThreads.hand(
        executor(threads),
        () -> runHere(work, failure -> threads.loop().execute(() -> hears.accept(failure))),
        refused -> {
          TransferProblem full =
              new TransferProblem(
                  RpcStatus.RESOURCE_EXHAUSTED,
                  refusal + TransferProblem.wordsOf(refused),
                  refused);
          threads.loop().execute(() -> hears.accept(full));
        });
  }

  /** Logs the name of a file that does not answer. Whoever waits for it cannot know why. */
  private Consumer<@Nullable Throwable> watched(
      Threads threads, Consumer<@Nullable Throwable> then) {
    if (!isFiles()) {
      return then;
    }
    Timers timers = threads.loop().timers();
    long timer =
        timers.schedule(
            threads.loop().now() + SLOW_NANOS,
            now ->
                SLOW.warn(
                    "A read or write of {} has not returned for 10 s: transfers of files at {} wait",
                    file,
                    place.name()));
    return failure -> {
      timers.cancel(timer);
      then.accept(failure);
    };
  }

  /**
   * Runs user code like {@link #USER}, but never leaves it out. If the users' executor rejects it,
   * it runs on a new thread.
   */
  public static void callSurely(Threads threads, Work work, Consumer<@Nullable Throwable> then) {
    surely(threads, threads.handlers(), threads.workers().waiting(), work, then);
  }

  /**
   * Runs work of the engine, but never leaves it out. If no thread can be started, it runs later.
   */
  public void runSurely(Threads threads, Work work, Consumer<@Nullable Throwable> then) {
    Executor own = executor(threads);
    surely(threads, own, own, work, watched(threads, then));
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
