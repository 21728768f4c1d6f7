package io.verbena.core.loop;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads on which an engine does work of its own that would hold up a loop. No code of the
 * user's runs here, and none of the engine's on the user's executor: whatever that does, bytes move
 * on. What is handed over waits for its turn, is never refused, and is little: a transfer has one
 * piece of work under way at a time, or a few.
 *
 * <p>They are threads of the platform, since reading a file or summing gigabytes would hold a
 * carrier of the virtual threads on which users' handlers run by default. Safe for any thread.
 *
 * @param memory copies and sums memory: never waits, so that it takes as many as there are cores
 * @param deciders asks users' code who may call, for a limited time: a thread for each question,
 *     since a session cannot resume on the users' executor while that waits for it to resume
 * @param files reads, writes and moves files, and reads what is mapped: may wait for a disk
 * @param waiting does what has to wait for room, or what the users' executor takes not: a thread
 *     for each
 */
public record Workers(Executor memory, Executor files, Executor deciders, Executor waiting) {
  /** What waits for disks hardly needs cores; more would only have the disks seek more. */
  private static final int FILE_THREADS = 16;

  private static final int LEAST_MEMORY_THREADS = 2;
  private static final long IDLE_SECONDS = 2;

  /** Threads of an engine's own, made when there is work, and gone when there was none for 2 s. */
  public static Workers threads(String engine) {
    int cores = Runtime.getRuntime().availableProcessors();
    return new Workers(
        pool(engine + "-memory", Math.max(LEAST_MEMORY_THREADS, cores)),
        pool(engine + "-files", FILE_THREADS),
        task -> LoopThread.inBackground("verbena-decider", task),
        Workers::waitInBackground);
  }

  /** Runs what has to wait on a thread of its own. */
  public static void waitInBackground(Runnable task) {
    LoopThread.inBackground("verbena-waiting", task);
  }

  private static Executor pool(String name, int threads) {
    AtomicInteger number = new AtomicInteger();
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> LoopThread.daemon(name + "-" + number.incrementAndGet(), task));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }
}
