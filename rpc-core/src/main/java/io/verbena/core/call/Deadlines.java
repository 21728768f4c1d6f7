package io.verbena.core.call;

import io.verbena.api.CallContext;
import io.verbena.api.CallOptions;
import io.verbena.api.stub.MethodDescriptor;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** When a call ends: the earliest of what its caller, its method and the call around it say. */
final class Deadlines {
  /** 73 years: instants that are compared by their difference must not be further apart. */
  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE / 4);

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
      return nanos(options.timeout());
    }
    return method.timeoutNanos() > 0
        ? Math.min(LONGEST.toNanos(), method.timeoutNanos())
        : nanos(defaultTimeout);
  }

  private static long nanos(Duration timeout) {
    return (timeout.compareTo(LONGEST) < 0 ? timeout : LONGEST).toNanos();
  }

  private static long earlier(long a, long b) {
    return a - b < 0 ? a : b;
  }
}
