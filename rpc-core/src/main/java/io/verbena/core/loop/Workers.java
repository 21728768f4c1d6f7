package io.verbena.core.loop;

import io.verbena.link.runtime.OwnThreads;
import java.util.concurrent.Executor;

/**
 * The threads on which an engine does work that would hold up a loop: its own, and what it asks of
 * users' code that must not wait for their executor. What is handed over waits for its turn.
 *
 * <p>All but the last are {@link OwnThreads}. Safe for any thread.
 *
 * @param memory copies and sums memory: never waits, so that it takes as many as there are cores
 * @param files reads, writes and moves files, and reads what is mapped: may wait for a disk
 * @param deciders asks users' code who may call, for a limited time: a session cannot resume on the
 *     users' executor while that waits for it to resume
 * @param listeners tells users' code what becomes of sessions: their handlers may all wait for that
 * @param readers reads long messages, by users' constructors and serializers; each session has one
 *     at a time
 * @param waiting does what has to wait for room, or what the users' executor takes not: a thread
 *     for each, however many
 */
public record Workers(
    Executor memory,
    Executor files,
    Executor deciders,
    Executor listeners,
    Executor readers,
    Executor waiting) {
  /** What waits for disks hardly needs cores; more would only have the disks seek more. */
  private static final int FILE_THREADS = 16;

  private static final int LEAST_MEMORY_THREADS = 2;

  /** Each may be busy for seconds with what a peer has sent; the system shares out its cores. */
  private static final int READER_THREADS = 64;

  /** Each may wait: a decider for another service, a listener for whatever it likes. */
  private static final int USERS_THREADS = 256;

  /** Threads of an engine's own. */
  public static Workers threads(String engine) {
    int cores = Runtime.getRuntime().availableProcessors();
    return new Workers(
        OwnThreads.pool(engine + "-memory", Math.max(LEAST_MEMORY_THREADS, cores)),
        OwnThreads.pool(engine + "-files", FILE_THREADS),
        OwnThreads.pool(engine + "-decider", USERS_THREADS),
        OwnThreads.pool(engine + "-listener", USERS_THREADS),
        OwnThreads.pool(engine + "-reader", READER_THREADS),
        Workers::waitInBackground);
  }

  /** Runs what has to wait on a thread of its own, a virtual one: there may be thousands. */
  public static void waitInBackground(Runnable task) {
    LoopThread.virtual("verbena-waiting", task);
  }
}
