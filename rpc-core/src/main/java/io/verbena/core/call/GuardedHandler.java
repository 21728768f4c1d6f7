package io.verbena.core.call;

import io.verbena.api.stub.Handler;
import org.jspecify.annotations.Nullable;

/** A handler behind its interceptors, which lie above calls. */
public interface GuardedHandler extends Handler {
  /** Returns whether the user's method has begun. */
  boolean hasRun();

  /** Puts interceptors before handlers. Safe for any thread. */
  @FunctionalInterface
  interface Maker {
    /** Returns one for a call whose arguments were read. */
    GuardedHandler guard(ServerCall call, Handler handler, @Nullable Object[] arguments);
  }
}
