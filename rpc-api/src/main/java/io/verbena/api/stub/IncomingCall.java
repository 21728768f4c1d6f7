package io.verbena.api.stub;

import org.jspecify.annotations.Nullable;

/** A call that has arrived and is being dispatched. */
public interface IncomingCall {
  /**
   * Runs the handler. A non-blocking method runs at once on this thread, any other on the session's
   * executor. It is called exactly once, after every argument has been read.
   */
  void handle(Handler handler);

  /** Returns whether the call passes interceptors, which may read its arguments. */
  default boolean isIntercepted() {
    return false;
  }

  /**
   * Runs the handler of a call that {@linkplain #isIntercepted passes interceptors}.
   *
   * @param arguments in the order of the method's parameters. The array belongs to the call from
   *     now on
   */
  default void handle(Handler handler, @Nullable Object[] arguments) {
    handle(handler);
  }
}
