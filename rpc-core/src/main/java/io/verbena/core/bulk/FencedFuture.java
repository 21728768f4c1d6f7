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
 * The future of something that may write into its user's memory. Whoever holds it may end it in any
 * way that the JDK knows; that ends what it stands for, and where there is a fence to wait for, it
 * completes as was asked when nothing is written any more, not at once.
 *
 * <pre>
 *   open ──settle, of its owner──────────────────────→ complete, as its owner says
 *     └──complete, cancel, a timeout, obtrude──→ ending ──settle, in any way──→ complete, as was asked
 * </pre>
 *
 * <p>Safe for use by any thread. What is made from it by {@code copy} or {@code thenApply} is a
 * future of its own, as everywhere in the JDK: ended, it ends alone.
 *
 * @param <T> of its result
 */
public abstract class FencedFuture<T> extends CompletableFuture<T> {
  private static final ThrottledLog BROKEN =
      ThrottledLog.of(FencedFuture.class, "callbacks of stages that threw what has no words");
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

  /** How it completes once nothing is written any more; null while its owner is to say. */
  @SuppressWarnings("unused") // by its handle
  private volatile @Nullable Runnable ending;

  /** Its owner's outcome is in place, and there is no other to put there. */
  private static void settled() {}

  /** Returns whether memory must be free before it may complete. Always the same. */
  protected abstract boolean isFenced();

  /** Ends what it stands for; where it is fenced, {@link #settle} follows. On any thread; once. */
  protected abstract void end();

  /** Returns whether it was ended from outside, and waits for its fence. */
  protected final boolean isEnding() {
    return ending != null;
  }

  /**
   * Waits until memory is free, whose fence was asked to end: for 10 s at most, since an event loop
   * that does not answer would keep the thread for ever. Not interrupted.
   *
   * @param whose for the log
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
      KEPT.warn("{} may be in use still, 10 s after their call: its event loop is stuck", whose);
    }
  }

  // ---- of its owner, when nothing is written any more ----

  /** Completes it with a value; returns whether it took that, and was not ended otherwise. */
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

  /** Completes it with a failure; returns whether it took that, and was not ended otherwise. */
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
   * What is chained to it runs within: a future catches what that throws, but asks it for its
   * words, which may throw in turn. That ends nothing but the chain it is in.
   */
  private static boolean broken(Throwable thrown) {
    BROKEN.warn("What is chained to the stage of a {} failed", "call or transfer", thrown);
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
    } while (how != ending); // else who obtruded meanwhile found it open, and left it to this
    return false;
  }

  // ---- of whoever holds it ----

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

  /** The JDK's own would complete it past {@link #complete}. */
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

  /** Takes the place of how it was to end before, and of how it has ended. */
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
