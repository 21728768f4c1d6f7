package io.verbena.core.transfer;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferException;
import io.verbena.api.settings.Checks;
import io.verbena.core.bulk.FencedFuture;
import io.verbena.core.bulk.stat.TransferStat;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Timers;
import io.verbena.link.runtime.NanoClock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The user's view of a transfer. Written on the loop, read by any thread. */
final class TransferHandle implements Transfer {
  private final EventLoop loop;
  final String object;
  private final CompletableFuture<Received> outcome = new CompletableFuture<>();
  private final Result result = new Result(); // not a stage, which would wrap a failure
  private final long startNanos;
  private BiConsumer<RpcStatus, String> ender = (status, why) -> {};
  private long timer = Timers.NONE;
  private volatile Supplier<String> whence = () -> "";
  private volatile long bytes;
  private volatile long resumedFrom;
  private volatile long total = -1;
  private volatile long endNanos;
  private volatile boolean over;

  TransferHandle(EventLoop loop, String object) {
    this.loop = loop;
    this.object = object;
    this.startNanos = loop.clock().nanoTime();
  }

  /** Sets the source or destination in words, for this end only. */
  void whence(Supplier<String> words) {
    whence = words;
  }

  String whence() {
    return whence.get();
  }

  void total(long length) {
    total = length;
  }

  /** Sets the next owner, which can end the transfer. On the loop. */
  void endedBy(BiConsumer<RpcStatus, String> onLoop) {
    ender = onLoop;
  }

  /** Limits the time of the transfer, counted from the request for it. */
  void limit(@Nullable Duration timeout) {
    if (timeout == null) {
      return;
    }
    long nanos = NanoClock.nanos(timeout);
    String why = "its time of " + TimeUnit.NANOSECONDS.toMillis(nanos) + " ms passed";
    timer =
        loop.timers()
            .schedule(startNanos + nanos, now -> ender.accept(RpcStatus.DEADLINE_EXCEEDED, why));
  }

  void resumedFrom(long from) {
    resumedFrom = from;
    bytes = from;
  }

  void confirmed(long upTo) {
    bytes = upTo;
  }

  void succeed(Received received) {
    end();
    outcome.complete(received);
    if (!result.settle(received)) {
      received.close(); // its future was ended by the user, who does not expect memory
    }
  }

  void fail(TransferException failure) {
    end();
    outcome.completeExceptionally(failure);
    result.settleFailed(failure);
  }

  private void end() {
    if (!over) {
      endNanos = loop.clock().nanoTime();
      over = true;
      loop.timers().cancel(timer);
    }
  }

  @Override
  public Progress progress() {
    long end = over ? endNanos : loop.clock().nanoTime();
    Duration elapsed = Duration.ofNanos(Math.max(0, end - startNanos));
    return new Progress(bytes, total, elapsed, resumedFrom);
  }

  @Override
  public String toString() {
    String of = total < 0 ? "" : " of " + total;
    String resumed = resumedFrom == 0 ? "" : ", resumed at byte " + resumedFrom;
    return object + ": " + bytes + of + " bytes" + resumed + (over ? ", over" : "");
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
    loop.execute(() -> ender.accept(RpcStatus.CANCELLED, "it was cancelled")); // the current owner
    return true;
  }

  @Override
  public CompletionStage<Received> result() {
    return result;
  }

  /** The user's view of the outcome. Its end cancels the transfer. */
  private final class Result extends FencedFuture<Received> {
    @Override
    protected boolean isFenced() {
      return true;
    }

    @Override
    protected void end() {
      TransferHandle.this.cancel();
    }
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
    Checks.required("timeout", timeout);
    refuseToBlockTheLoop();
    try {
      return outcome.get(NanoClock.nanos(timeout), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw failure(e);
    }
  }

  private void refuseToBlockTheLoop() {
    if (loop.isNotToWait() && !outcome.isDone()) {
      throw new IllegalStateException(
          object + ": a wait would block the event loop. Use result() there.");
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
