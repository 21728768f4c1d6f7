package io.verbena.api.stub;

import org.jspecify.annotations.Nullable;

/** A call that has arrived and is being dispatched. */
public interface IncomingCall {
  /**
   * Runs the handler: here and now for a non-blocking method, else on the session's executor.
   * Called exactly once, after every argument has been read.
   */
  void handle(Handler handler);

  /** Returns whether the call passes interceptors, which may want to see its arguments. */
  default boolean isIntercepted() {
    return false;
  }

  /**
   * The same, for a call that {@linkplain #isIntercepted passes interceptors}.
   *
   * @param arguments in the order of the method's; this call's from now on
   */
  default void handle(Handler handler, @Nullable Object[] arguments) {
    handle(handler);
  }
}
