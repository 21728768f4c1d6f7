package io.verbena.core.loop;

import io.verbena.link.runtime.OwnThreads;
import java.util.concurrent.Executor;
import java.util.stream.Stream;

/**
 * The threads for an engine's work that would hold up a loop. They also run user code that must not
 * wait for the users' executor. A task waits until a thread is free.
 *
 * <p>All except the last are {@link OwnThreads}. Safe for use by any thread.
 *
 * @param memory copies memory and computes checksums. It never waits, so it has one thread for each
 *     core
 * @param files reads, writes and moves files, and reads mapped memory. It may wait for a disk, of
 *     which each has its own threads
 * @param deciders call authenticators and token suppliers, for a limited time. The users' executor
 *     cannot be used, because its threads may all wait for a session that is to resume
 * @param listeners call session listeners. The users' handlers may all wait for them
 * @param readers read long messages, by users' constructors and serializers, one at a time for each
 *     session
 * @param waiting runs tasks that wait for room, or that the users' executor rejects, each on its
 *     own thread
 */
public record Workers(
    Executor memory,
    FileThreads files,
    Executor deciders,
    Executor listeners,
    Executor readers,
    Executor waiting) {
  private static final int LEAST_MEMORY_THREADS = 2;

  /**
   * Each thread may be busy for seconds with a peer's message. The operating system shares the
   * cores among them.
   */
  private static final int READER_THREADS = 64;

  /** Each thread may wait: an authenticator for another service, a listener for anything. */
  private static final int USERS_THREADS = 256;

  /** Makes the threads of an engine. */
  public static Workers threads(String engine) {
    int cores = Runtime.getRuntime().availableProcessors();
    return new Workers(
        OwnThreads.pool(engine + "-memory", Math.max(LEAST_MEMORY_THREADS, cores)),
        FileThreads.named(engine + "-files"),
        OwnThreads.pool(engine + "-decider", USERS_THREADS),
        OwnThreads.pool(engine + "-listener", USERS_THREADS),
        OwnThreads.pool(engine + "-reader", READER_THREADS),
        Workers::waitInBackground);
  }

  /**
   * Ends the threads as soon as they have no work. A container takes a thread that outlives its
   * application for a leak.
   */
  public void endIdle() {
    Stream.of(memory, deciders, listeners, readers).forEach(OwnThreads::endIdle);
    files.endIdle();
  }

  /** Runs a waiting task on a new virtual thread. There may be thousands. */
  public static void waitInBackground(Runnable task) {
    LoopThread.virtual("verbena-waiting", task);
  }
}
