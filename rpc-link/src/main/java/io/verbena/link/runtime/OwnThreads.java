package io.verbena.link.runtime;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The threads for Verbena's own work, and the only way to run a task on another thread. Each task
 * has an owner. The owner learns if no thread is available for the task, or if the task throws.
 *
 * <p>The threads are daemons and platform threads, because computing handlers may occupy every
 * carrier of virtual threads. Safe for use by any thread.
 */
public final class OwnThreads {
  /** The resolver of the JDK blocks for seconds if DNS is slow. */
  private static final int MOST_LOOKUPS = 64;

  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long AT_ONCE_NANOS = 1;
  private static final int MOST_LOOKS = 100;
  private static final long BETWEEN_LOOKS_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** Runs the name lookups of the whole process. */
  public static final Executor LOOKUPS = rarelyUsed("verbena-lookup", MOST_LOOKUPS);

  private OwnThreads() {}

  /**
   * Runs a task once by an executor. An executor may throw and still run the task. The first of the
   * two counts.
   *
   * @param failed receives the reason why no thread took the task, on this thread, or the exception
   *     of the task, on the task's thread
   */
  @SuppressWarnings("CatchingUnchecked") // an executor may be users' code
  public static void hand(Executor executor, Runnable task, Consumer<Throwable> failed) {
    Handed handed = new Handed(task, failed);
    try {
      executor.execute(handed);
    } catch (Throwable e) {
      if (handed.take()) {
        failed.accept(e);
      }
    }
  }

  /** Runs a task on a new thread, as {@link #hand} does. */
  public static void background(String name, Runnable task, Consumer<Throwable> failed) {
    hand(run -> daemon(name, run).start(), task, failed);
  }

  /**
   * Runs a task by an executor, and tries again until the executor has a thread.
   *
   * @param refused receives the reason of each refusal
   * @param later runs a given action when it is time to try again
   */
  public static void persistently(
      Executor executor, Runnable task, Consumer<Throwable> refused, Consumer<Runnable> later) {
    hand(
        executor,
        task,
        why -> {
          refused.accept(why);
          later.accept(() -> persistently(executor, task, refused, later));
        });
  }

  /**
   * Returns a platform thread, not started, that does not keep the process alive. It has the class
   * loader of this class for its context: any thread of a user may happen to start it.
   */
  public static Thread daemon(String name, Runnable task) {
    return daemon(name, task, OwnThreads.class.getClassLoader());
  }

  private static Thread daemon(String name, Runnable task, @Nullable ClassLoader context) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.setContextClassLoader(context);
    return thread;
  }

  /**
   * Returns a pool whose threads start when there is work, and end after 2 s without work, or by
   * {@link #endIdle}. Tasks wait if all threads are busy. The threads have the context class loader
   * of the calling thread.
   */
  public static Executor pool(String name, int most) {
    return new Pool(name, most, IDLE_NANOS, Thread.currentThread().getContextClassLoader());
  }

  /**
   * Returns a pool as {@link #pool} does, which starts a thread only while no other is idle, and
   * rejects tasks if all threads are busy. For an owner who limits the tasks.
   */
  public static Executor growingPool(String name, int most) {
    return new Pool(
        name,
        0,
        most,
        IDLE_NANOS,
        new SynchronousQueue<>(),
        Thread.currentThread().getContextClassLoader());
  }

  /** Returns a pool whose threads end as soon as they have no work, so nobody need end them. */
  public static Executor rarelyUsed(String name, int most) {
    return new Pool(name, most, AT_ONCE_NANOS, OwnThreads.class.getClassLoader());
  }

  /**
   * Ends the threads of a {@linkplain #pool pool} as soon as they have no work. Returns when none
   * is left, or after about 100 ms, because some may run user code. Tasks that come later still
   * run. Does nothing to an executor of another kind.
   */
  public static void endIdle(Executor executor) {
    if (executor instanceof Pool pool) {
      pool.endIdle();
    }
  }

  private static final class Pool extends ThreadPoolExecutor {
    Pool(String name, int most, long idleNanos, @Nullable ClassLoader context) {
      this(name, most, most, idleNanos, new LinkedBlockingQueue<>(), context);
      allowCoreThreadTimeOut(true);
    }

    Pool(
        String name,
        int core,
        int most,
        long idleNanos,
        BlockingQueue<Runnable> tasks,
        @Nullable ClassLoader context) {
      super(core, most, idleNanos, TimeUnit.NANOSECONDS, tasks, numbered(name, context));
    }

    void endIdle() {
      setKeepAliveTime(AT_ONCE_NANOS, TimeUnit.NANOSECONDS);
      for (int looks = 0; getPoolSize() > 0 && looks < MOST_LOOKS; looks++) {
        LockSupport.parkNanos(this, BETWEEN_LOOKS_NANOS);
      }
    }

    private static ThreadFactory numbered(String name, @Nullable ClassLoader context) {
      AtomicInteger number = new AtomicInteger();
      return task -> daemon(name + "-" + number.incrementAndGet(), task, context);
    }

    /** Leaves the task to the existing threads if no new thread can start. */
    @Override
    public void execute(Runnable task) {
      try {
        super.execute(task);
      } catch (RejectedExecutionException e) {
        throw e;
      } catch (Throwable noThread) {
        if (getPoolSize() == 0 || !getQueue().offer(task)) {
          throw noThread;
        }
        if (getPoolSize() == 0 && getQueue().remove(task)) {
          throw noThread; // the last thread has ended meanwhile
        }
      }
    }
  }

  /** A task that runs once, or never. */
  private static final class Handed extends AtomicBoolean implements Runnable {
    private static final long serialVersionUID = 1L;

    private final transient Runnable task;
    private final transient Consumer<Throwable> failed;

    Handed(Runnable task, Consumer<Throwable> failed) {
      this.task = task;
      this.failed = failed;
    }

    boolean take() {
      return compareAndSet(false, true);
    }

    @Override
    @SuppressWarnings("CatchingUnchecked") // tasks may be users' code
    public void run() {
      if (!take()) {
        return;
      }
      try {
        task.run();
      } catch (Throwable e) {
        failed.accept(e);
      }
    }
  }
}
