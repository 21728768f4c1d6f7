package io.verbena.core.bulk;

import io.verbena.link.runtime.NanoClock;
import io.verbena.link.runtime.ThrottledLog;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The future of an operation that may write into its user's memory. Users may end it in every way
 * of the JDK, which ends the operation. If there is a fence to wait for, the future completes as
 * requested once nothing is written any more, not at once.
 *
 * <pre>
 *   open ──settle, by its owner──────────────────────→ complete, as its owner says
 *     └──complete, cancel, a timeout, obtrude──→ ending ──settle, in any way──→ complete, as requested
 * </pre>
 *
 * <p>Safe for use by any thread. As everywhere in the JDK, {@code copy} and {@code thenApply}
 * return independent futures, whose end does not end this one.
 *
 * @param <T> the type of the result
 */
public abstract class FencedFuture<T> extends CompletableFuture<T> {
  private static final ThrottledLog BROKEN =
      ThrottledLog.of(FencedFuture.class, "callbacks of stages with unreadable exceptions");
  private static final ThrottledLog KEPT =
      ThrottledLog.of(FencedFuture.class, "calls that ended with their memory in use");
  private static final long LONGEST_FENCE_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final VarHandle ENDING;
  private static final Runnable SETTLED = FencedFuture::settled;

  static {
    try {
      ENDING = MethodHandles.lookup().findVarHandle(FencedFuture.class, "ending", Runnable.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** The completion to use once nothing is written any more; null while the owner decides. */
  @SuppressWarnings("unused") // by its handle
  private volatile @Nullable Runnable ending;

  /** Marks that the owner has completed it, so no other completion follows. */
  private static void settled() {}

  /** Returns whether memory must be free before the completion. The answer never changes. */
  protected abstract boolean isFenced();

  /** Ends the operation. If the future is fenced, {@link #settle} follows. On any thread; once. */
  protected abstract void end();

  /** Returns whether a user ended it and it waits for its fence. */
  protected final boolean isEnding() {
    return ending != null;
  }

  /**
   * Waits until memory is free, after its operation was asked to end. Waits at most 10 s, because a
   * stuck event loop would block the thread for ever. Interrupts do not end the wait.
   *
   * @param whose the owner, for the log
   */
  public static void awaitFree(CompletableFuture<Void> free, String whose) {
    long until = NanoClock.SYSTEM.nanoTime() + LONGEST_FENCE_NANOS;
    boolean interrupted = false;
    long left = LONGEST_FENCE_NANOS;
    while (!free.isDone() && left > 0) {
      try {
        free.get(left, TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        interrupted = true;
      } catch (ExecutionException | TimeoutException e) {
        break;
      }
      left = until - NanoClock.SYSTEM.nanoTime();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (!free.isDone()) {
      KEPT.warn("{} may still be in use 10 s after their call: its event loop is stuck", whose);
    }
  }

  // ---- for its owner, once nothing is written any more ----

  /** Completes it with a value. Returns false if a user ended it otherwise. */
  public final boolean settle(@Nullable T value) {
    if (!isItsOwners()) {
      return false;
    }
    try {
      return super.complete(value);
    } catch (Throwable e) {
      return broken(e);
    }
  }

  /** Completes it with a failure. Returns false if a user ended it otherwise. */
  public final boolean settleFailed(Throwable failure) {
    if (!isItsOwners()) {
      return false;
    }
    try {
      return super.completeExceptionally(failure);
    } catch (Throwable e) {
      return broken(e);
    }
  }

  /**
   * Logs an exception of a callback. Callbacks run within the completion. A future catches their
   * exceptions, but asks each for its message, which may throw again. That ends only the callback's
   * own chain.
   */
  private static boolean broken(Throwable thrown) {
    BROKEN.warn("A callback of the stage of a {} failed", "call or transfer", thrown);
    return true;
  }

  private boolean isItsOwners() {
    if (!isFenced() || ENDING.compareAndSet(this, null, SETTLED)) {
      return true;
    }
    Runnable how;
    do {
      how = Objects.requireNonNull(ending);
      try {
        how.run();
      } catch (Throwable e) {
        broken(e);
      }
    } while (how != ending); // a concurrent obtrude may have left its completion to this thread
    return false;
  }

  // ---- for its users ----

  @Override
  public final boolean complete(@Nullable T value) {
    return isFenced() ? ask(() -> super.complete(value)) : ended(super.complete(value));
  }

  @Override
  public final boolean completeExceptionally(Throwable failure) {
    Objects.requireNonNull(failure);
    return isFenced()
        ? ask(() -> super.completeExceptionally(failure))
        : ended(super.completeExceptionally(failure));
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    return isFenced()
        ? ask(() -> super.cancel(mayInterruptIfRunning))
        : ended(super.cancel(mayInterruptIfRunning));
  }

  /** The JDK's method would complete it without {@link #complete}. */
  @Override
  public final CompletableFuture<T> completeAsync(
      Supplier<? extends T> supplier, Executor executor) {
    Objects.requireNonNull(supplier);
    executor.execute(
        () -> {
          if (isDone()) {
            return;
          }
          T value;
          try {
            value = supplier.get();
          } catch (Throwable e) {
            completeExceptionally(
                e instanceof CompletionException ? e : new CompletionException(e));
            return;
          }
          complete(value);
        });
    return this;
  }

  @Override
  public final void obtrudeValue(@Nullable T value) {
    obtrude(() -> super.obtrudeValue(value));
  }

  @Override
  public final void obtrudeException(Throwable failure) {
    Objects.requireNonNull(failure);
    obtrude(() -> super.obtrudeException(failure));
  }

  private boolean ended(boolean now) {
    if (now) {
      end();
    }
    return now;
  }

  private boolean ask(Runnable how) {
    if (isDone() || !ENDING.compareAndSet(this, null, how)) {
      return false;
    }
    end();
    return true;
  }

  /** Replaces the requested completion, or the one that has happened. */
  private void obtrude(Runnable how) {
    if (!isFenced()) {
      boolean open = !isDone();
      how.run();
      ended(open);
      return;
    }
    Object before = ENDING.getAndSet(this, how);
    if (before == null) {
      end();
    }
    if (before == SETTLED || isDone()) {
      how.run();
    }
  }
}
