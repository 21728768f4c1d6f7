package io.verbena.core.loop;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Runs one task after the other, in the order of handing over, on a thread of another executor at a
 * time. Safe for use by any thread.
 */
public final class SequentialExecutor implements Executor {
  private final Executor threads;
  private final Consumer<Throwable> failed;

  /** What has yet to run; its monitor guards itself and what is below. */
  private final ArrayDeque<Runnable> due = new ArrayDeque<>();

  private boolean running;
  private boolean closed;

  /**
   * One with nothing to run.
   *
   * @param threads runs whatever it is given, sooner or later
   * @param failed hears what a task throws, before the next one runs
   */
  public SequentialExecutor(Executor threads, Consumer<Throwable> failed) {
    this.threads = threads;
    this.failed = failed;
  }

  @Override
  public void execute(Runnable task) {
    add(task, false);
  }

  /** Runs a last task: what is handed over after it is left out. */
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
