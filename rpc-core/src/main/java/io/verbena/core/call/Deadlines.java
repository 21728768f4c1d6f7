package io.verbena.core.call;

import io.verbena.api.CallContext;
import io.verbena.api.CallOptions;
import io.verbena.api.stub.MethodDescriptor;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** When a call ends: the earliest of what its caller, its method and the call around it say. */
final class Deadlines {
  private Deadlines() {}

  /**
   * Returns the deadline of a call that starts now.
   *
   * @param outer the call being handled on this thread, or null
   * @param now nanoseconds of the session's clock
   */
  static long of(
      MethodDescriptor<?> method,
      CallOptions options,
      Duration defaultTimeout,
      @Nullable CallContext outer,
      long now) {
    long deadline = now + timeoutNanos(method, options, defaultTimeout);
    return outer instanceof ServerCall call ? earlier(deadline, call.deadlineNanos()) : deadline;
  }

  private static long timeoutNanos(
      MethodDescriptor<?> method, CallOptions options, Duration defaultTimeout) {
    if (options.timeout() != null) {
      return options.timeout().toNanos();
    }
    return method.timeoutNanos() > 0 ? method.timeoutNanos() : defaultTimeout.toNanos();
  }

  private static long earlier(long a, long b) {
    return a - b < 0 ? a : b;
  }
}
