package io.verbena.core.loop;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Runs one task after the other in the order of the calls, each on a thread of another executor.
 * Safe for use by any thread.
 */
public final class SequentialExecutor implements Executor {
  private final Executor threads;
  private final Consumer<Throwable> failed;

  /** The tasks that are still to run. Its monitor guards it and the fields below. */
  private final ArrayDeque<Runnable> due = new ArrayDeque<>();

  private boolean running;
  private boolean closed;

  /**
   * Makes an executor without tasks.
   *
   * @param threads runs every given task, sooner or later
   * @param failed receives the exception of a task, before the next task runs
   */
  public SequentialExecutor(Executor threads, Consumer<Throwable> failed) {
    this.threads = threads;
    this.failed = failed;
  }

  @Override
  public void execute(Runnable task) {
    add(task, false);
  }

  /** Runs a last task. Tasks handed over later are dropped. */
  public void close(Runnable last) {
    add(last, true);
  }

  private void add(Runnable task, boolean last) {
    synchronized (due) {
      if (closed) {
        return;
      }
      closed = last;
      due.add(task);
      if (running) {
        return;
      }
      running = true;
    }
    threads.execute(this::runAll);
  }

  private void runAll() {
    while (true) {
      Runnable next;
      synchronized (due) {
        next = due.poll();
        if (next == null) {
          running = false;
          return;
        }
      }
      try {
        next.run();
      } catch (Throwable e) {
        failed.accept(e);
      }
    }
  }
}
