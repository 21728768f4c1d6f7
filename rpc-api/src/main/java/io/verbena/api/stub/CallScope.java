package io.verbena.api.stub;

import io.verbena.api.CallContext;
import org.jspecify.annotations.Nullable;

/**
 * Carries the call in hand to whatever its handler calls. The core binds one scope for each handler
 * thread; an event loop binds one for its life and sets the context around each non-blocking
 * handler, which costs no allocation.
 */
public final class CallScope {
  /** The scope of this thread, inherited by the subtasks of structured concurrency. */
  public static final ScopedValue<CallScope> CURRENT = ScopedValue.newInstance();

  private @Nullable CallContext context;

  /** A scope that starts with this context, or without. */
  public CallScope(@Nullable CallContext context) {
    this.context = context;
  }

  /** Sets the call in hand; null for none. Only the thread that bound the scope may call it. */
  public void set(@Nullable CallContext context) {
    this.context = context;
  }

  /**
   * Returns the call in hand in this scope, or null. Only the thread that bound the scope may ask.
   */
  public @Nullable CallContext get() {
    return context;
  }

  /** Returns the call in hand on this thread, or null. */
  public static @Nullable CallContext currentOrNull() {
    return CURRENT.isBound() ? CURRENT.get().context : null;
  }
}
