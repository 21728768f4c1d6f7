package io.verbena.cli.stat;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The answer of another process. A separate thread waits for it, because a stopped process never
 * answers, and attaching to one cannot be interrupted. Safe for use by any thread.
 */
final class Answer<T> {
  /** A request to another process, which may block for ever. */
  @FunctionalInterface
  interface Question<T> {
    T ask() throws IOException;
  }

  private final FutureTask<T> task;

  /** Sends the request at once. */
  Answer(Question<T> question) {
    this.task = new FutureTask<>(question::ask);
    Thread.ofPlatform().daemon().name("verbena-stat").start(task);
  }

  /**
   * Returns the answer.
   *
   * @throws IOException if the request failed
   * @throws TimeoutException if there is no answer in time; a later answer is lost
   */
  T await(Duration longest) throws IOException, InterruptedException, TimeoutException {
    try {
      return task.get(longest.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException failure ? failure : new IOException(e.getCause());
    }
  }
}
