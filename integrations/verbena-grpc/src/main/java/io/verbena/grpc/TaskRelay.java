package io.verbena.grpc;

import io.grpc.internal.SharedResourceHolder;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks on the threads of another executor, and wakes these one at a time. A thread that takes
 * a task while others wait first calls the next thread, and then runs tasks as long as there are
 * any. So a burst of short tasks costs few wake-ups, and a task that blocks delays no other one.
 * Safe for use by any thread.
 */
final class TaskRelay implements Executor {
  private static final int RETRY_MILLIS = 10;

  private final SharedResourceHolder.Resource<Executor> kind;
  private volatile @Nullable Executor threads;
  private volatile boolean ended;

  /** Whether another call is due in a moment. */
  private final AtomicBoolean retrying = new AtomicBoolean();

  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

  /** Whether a thread was called and has not looked for a task yet. */
  private final AtomicBoolean called = new AtomicBoolean();

  /**
   * Makes a relay to an executor that others share.
   *
   * @param kind of the executor
   */
  TaskRelay(SharedResourceHolder.Resource<Executor> kind) {
    this.kind = kind;
  }

  /** Takes a share of the executor, before the first task. */
  void begin() {
    threads = SharedResourceHolder.get(kind);
  }

  /** Gives the share back, after the last task. */
  void end() {
    SharedResourceHolder.release(kind, Objects.requireNonNull(threads));
    ended = true;
  }

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
    try {
      call();
    } catch (RuntimeException | OutOfMemoryError e) { // rejected, or no thread could be made
      boolean taken = tasks.remove(task);
      callLater(); // other threads may have relied on this call for their tasks
      if (taken) {
        throw e;
      }
    }
  }

  private void call() {
    if (called.get() || !called.compareAndSet(false, true)) {
      return;
    }
    boolean comes = false;
    try {
      Objects.requireNonNull(threads, "begun").execute(this::work);
      comes = true;
    } finally {
      if (!comes) {
        called.set(false);
      }
    }
  }

  private void work() {
    called.set(false); // first: a task that is added from now on calls another thread
    Runnable task;
    while ((task = tasks.poll()) != null) {
      callNext();
      boolean done = false;
      try {
        task.run();
        done = true;
      } finally {
        if (!done) {
          callNext(); // this thread ends with the exception
        }
      }
    }
  }

  private void callNext() {
    if (tasks.isEmpty()) {
      return;
    }
    try {
      call();
    } catch (RuntimeException | OutOfMemoryError e) {
      callLater();
    }
  }

  private void callLater() {
    if (!tasks.isEmpty() && !ended && retrying.compareAndSet(false, true)) {
      CompletableFuture.delayedExecutor(RETRY_MILLIS, TimeUnit.MILLISECONDS, Runnable::run)
          .execute(
              () -> {
                retrying.set(false);
                callNext();
              });
    }
  }
}
