package io.verbena.core;

import io.verbena.core.loop.EventLoop;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Asks what only an event loop's own thread may look at. */
final class OnLoop {
  private static final int PATIENCE_SECONDS = 2;

  private OnLoop() {}

  /**
   * Returns the loop's answer, or another one where it does not answer in time, or the calling
   * thread is another loop's.
   */
  static <T> T ask(EventLoop loop, Supplier<T> question, T otherwise) {
    if (loop.isOwner()) {
      return question.get();
    }
    if (loop.isNotToWait()) {
      return otherwise;
    }
    CompletableFuture<T> answer = new CompletableFuture<>();
    loop.execute(() -> answer.complete(question.get()));
    try {
      return answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return otherwise;
    } catch (ExecutionException | TimeoutException e) {
      return otherwise;
    }
  }
}
