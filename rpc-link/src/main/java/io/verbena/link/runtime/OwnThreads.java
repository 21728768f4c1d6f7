package io.verbena.link.runtime;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The threads on which Verbena does its own work, and the one way on which a task gets to a thread:
 * each has an owner, which hears of it where no thread can be had for the task, or the task throws.
 *
 * <p>They are daemons, and threads of the platform: handlers that compute may hold every carrier of
 * the virtual ones. Safe for use by any thread.
 */
public final class OwnThreads {
  /** The resolver of the JDK blocks, for seconds if DNS does. */
  private static final int MOST_LOOKUPS = 64;

  private static final long IDLE_SECONDS = 2;

  /** Looks names up, for the whole process. */
  public static final Executor LOOKUPS = pool("verbena-lookup", MOST_LOOKUPS);

  private OwnThreads() {}

  /**
   * Has a task run by an executor, once. An executor may throw and run the task all the same: what
   * comes first counts.
   *
   * @param failed hears why no thread took the task, on this thread, or what it threw, on its own
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

  /** Has a task run on a thread of its own: see {@link #hand}. */
  public static void background(String name, Runnable task, Consumer<Throwable> failed) {
    hand(run -> daemon(name, run).start(), task, failed);
  }

  /**
   * Has a task run by an executor, which is asked again where it has no thread, until it has one.
   *
   * @param refused hears each time why there is none
   * @param later runs what it is given when it is time to ask again
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

  /** Returns a thread of the platform, not started, that keeps no process alive. */
  public static Thread daemon(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Returns threads that are made when there is work, and gone when there was none for 2 s. What
   * finds them all busy waits for its turn.
   */
  public static Executor pool(String name, int most) {
    return new Pool(name, most);
  }

  private static final class Pool extends ThreadPoolExecutor {
    Pool(String name, int most) {
      super(
          most, most, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), numbered(name));
      allowCoreThreadTimeOut(true);
    }

    private static ThreadFactory numbered(String name) {
      AtomicInteger number = new AtomicInteger();
      return task -> daemon(name + "-" + number.incrementAndGet(), task);
    }

    /** Where no thread more can be had, those that there are do it. */
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
          throw noThread; // the last has ended meanwhile
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
