package io.verbena.core.call;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.VerbenaException;
import io.verbena.link.runtime.Thrown;
import org.jspecify.annotations.Nullable;

/**
 * Another service's failure that a handler has let through. Its message tells this process where
 * that service is, and is not for the caller of this one.
 *
 * @param failure of the other call, or transfer
 */
record Downstream(VerbenaException failure) {
  private static final int DEEPEST = 16;

  /**
   * Returns the failure that a handler's exception is, or whose message it repeats as its own, as
   * those do that carry a failure from thread to thread; null if there is none.
   */
  static @Nullable Downstream in(Throwable thrown) {
    Throwable cause = thrown;
    for (int depth = 0; cause != null && depth < DEEPEST; depth++) {
      if (cause instanceof VerbenaException failure && !isAnswer(failure)) {
        boolean repeated =
            cause == thrown || Thrown.repeats(thrown, String.valueOf(failure.getMessage()));
        return repeated ? new Downstream(failure) : null;
      }
      cause = cause.getCause();
    }
    return null;
  }

  private static boolean isAnswer(VerbenaException failure) {
    return failure instanceof RpcException call && call.isAnswer();
  }

  RpcStatus status() {
    return failure.status();
  }

  String words() {
    return "another call or transfer that its handler needed failed: "
        + status()
        + ". The log of the handler's process says more";
  }
}
