package io.verbena.api.stub;

import io.verbena.api.CallContext;
import org.jspecify.annotations.Nullable;

/**
 * Passes the present call to all code that its handler calls. The core binds one scope for each
 * handler thread. An event loop binds one scope for its whole life and sets the context around each
 * non-blocking handler, which needs no allocation.
 */
public final class CallScope {
  /** The scope of this thread, inherited by the subtasks of structured concurrency. */
  public static final ScopedValue<CallScope> CURRENT = ScopedValue.newInstance();

  private @Nullable CallContext context;

  /** Makes a scope with this context; null for none. */
  public CallScope(@Nullable CallContext context) {
    this.context = context;
  }

  /** Sets the present call; null for none. Only the thread that bound the scope may call this. */
  public void set(@Nullable CallContext context) {
    this.context = context;
  }

  /**
   * Returns the present call of this scope, or null. Only the thread that bound the scope may call
   * this.
   */
  public @Nullable CallContext get() {
    return context;
  }

  /** Returns the present call of this thread, or null. */
  public static @Nullable CallContext currentOrNull() {
    return CURRENT.isBound() ? CURRENT.get().context : null;
  }
}
