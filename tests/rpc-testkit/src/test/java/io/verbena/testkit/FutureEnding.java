package io.verbena.testkit;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Every way in which the JDK lets whoever holds a {@link CompletableFuture} end it. */
public enum FutureEnding {
  /** By a value. */
  COMPLETE {
    @Override
    public <T> void end(CompletableFuture<@Nullable T> future) {
      future.complete(null);
    }
  },
  /** By an exception. */
  COMPLETE_EXCEPTIONALLY {
    @Override
    public <T> void end(CompletableFuture<@Nullable T> future) {
      future.completeExceptionally(new IllegalStateException("enough"));
    }
  },
  /** By cancelling it. */
  CANCEL {
    @Override
    public <T> void end(CompletableFuture<@Nullable T> future) {
      future.cancel(true);
    }
  },
  /** By a timeout that fails it. */
  OR_TIMEOUT {
    @Override
    public <T> void end(CompletableFuture<@Nullable T> future) {
      CompletableFuture<@Nullable T> _ = future.orTimeout(1, TimeUnit.MICROSECONDS);
    }
  },
  /** By a timeout that gives it a value. */
  COMPLETE_ON_TIMEOUT {
    @Override
    public <T> void end(CompletableFuture<@Nullable T> future) {
      CompletableFuture<@Nullable T> _ = future.completeOnTimeout(null, 1, TimeUnit.MICROSECONDS);
    }
  },
  /** By a value that is computed elsewhere. */
  COMPLETE_ASYNC {
    @Override
    public <T> void end(CompletableFuture<@Nullable T> future) {
      CompletableFuture<@Nullable T> _ = future.completeAsync(() -> null);
    }
  },
  /** By a computation that fails elsewhere. */
  FAIL_ASYNC {
    @Override
    public <T> void end(CompletableFuture<@Nullable T> future) {
      CompletableFuture<@Nullable T> _ =
          future.completeAsync(
              () -> {
                throw new IllegalStateException("enough");
              });
    }
  },
  /** By force, with a value. */
  OBTRUDE_VALUE {
    @Override
    public <T> void end(CompletableFuture<@Nullable T> future) {
      future.obtrudeValue(null);
    }
  },
  /** By force, with an exception. */
  OBTRUDE_EXCEPTION {
    @Override
    public <T> void end(CompletableFuture<@Nullable T> future) {
      future.obtrudeException(new IllegalStateException("enough"));
    }
  };

  /** Has a future end, now or very soon, on whatever thread. */
  public abstract <T> void end(CompletableFuture<@Nullable T> future);
}
