package io.verbena.core.bulk;

import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferException;
import io.verbena.core.loop.EventLoop;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A transfer as its user sees it. Written on the loop, read by any thread. */
final class TransferHandle implements Transfer {
  private final EventLoop loop;
  private final String object;
  private final CompletableFuture<Received> outcome = new CompletableFuture<>();
  private final long startNanos;
  private volatile Runnable canceller = () -> {};
  private volatile long bytes;
  private volatile long total = -1;
  private volatile long endNanos;
  private volatile boolean over;

  TransferHandle(EventLoop loop, String object) {
    this.loop = loop;
    this.object = object;
    this.startNanos = loop.clock().nanoTime();
  }

  String object() {
    return object;
  }

  void total(long length) {
    total = length;
  }

  void cancelledBy(Runnable onLoop) {
    canceller = onLoop;
  }

  void confirmed(long upTo) {
    bytes = upTo;
  }

  void succeed(Received received) {
    end();
    if (!outcome.complete(received)) {
      received.close();
    }
  }

  void fail(TransferException failure) {
    end();
    outcome.completeExceptionally(failure);
  }

  private void end() {
    if (!over) {
      endNanos = loop.clock().nanoTime();
      over = true;
    }
  }

  @Override
  public Progress progress() {
    long end = over ? endNanos : loop.clock().nanoTime();
    return new Progress(bytes, total, Duration.ofNanos(Math.max(0, end - startNanos)));
  }

  TransferStat stat(boolean incoming) {
    Progress now = progress();
    return new TransferStat(object, incoming, now.bytes(), now.total(), now.elapsed().toSeconds());
  }

  @Override
  public boolean cancel() {
    if (outcome.isDone()) {
      return false;
    }
    loop.execute(canceller::run);
    return true;
  }

  @Override
  public CompletionStage<Received> result() {
    return outcome; // not a stage of it, which would wrap a failure once more
  }

  @Override
  public Received get() throws InterruptedException {
    refuseToBlockTheLoop();
    try {
      return outcome.get();
    } catch (ExecutionException e) {
      throw failure(e);
    }
  }

  @Override
  public Received get(Duration timeout) throws InterruptedException, TimeoutException {
    refuseToBlockTheLoop();
    try {
      return outcome.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw failure(e);
    }
  }

  private void refuseToBlockTheLoop() {
    if (loop.isOwner() && !outcome.isDone()) {
      throw new IllegalStateException(
          object + " was waited for on the event loop. Use result() there.");
    }
  }

  private static RuntimeException failure(ExecutionException e) {
    if (e.getCause() instanceof TransferException failure) {
      failure.fillInStackTrace(); // it was made on the loop
      return failure;
    }
    return new IllegalStateException(e.getCause());
  }
}
