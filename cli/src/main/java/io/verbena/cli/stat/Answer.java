package io.verbena.cli.stat;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * What another process is asked for, on a thread of its own: one that is stopped never answers, and
 * attaching to it cannot be interrupted. Safe for use by any thread.
 */
final class Answer<T> {
  /** A question, which may wait for its answer for ever. */
  @FunctionalInterface
  interface Question<T> {
    T ask() throws IOException;
  }

  private final FutureTask<T> task;

  /** Asks at once. */
  Answer(Question<T> question) {
    this.task = new FutureTask<>(question::ask);
    Thread.ofPlatform().daemon().name("verbena-stat").start(task);
  }

  /**
   * Returns the answer.
   *
   * @throws IOException if the question failed
   * @throws TimeoutException if there is none after so long; nobody waits for it any more then
   */
  T await(Duration longest) throws IOException, InterruptedException, TimeoutException {
    try {
      return task.get(longest.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException failure ? failure : new IOException(e.getCause());
    }
  }
}
