package io.verbena.core.call;

import io.verbena.api.CallContext;
import io.verbena.api.CallOptions;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.link.runtime.NanoClock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * When the calls of one stub end: each at the earliest of what its caller, its method and the call
 * around it say.
 */
final class Deadlines {
  private static final long UNSET = 0;

  private final long callerNanos;
  private final long defaultNanos;

  Deadlines(CallOptions options, Duration defaultTimeout) {
    callerNanos = options.timeout() == null ? UNSET : NanoClock.nanos(options.timeout());
    defaultNanos = NanoClock.nanos(defaultTimeout);
  }

  /**
   * Returns the deadline of a call that starts now.
   *
   * @param outer the call being handled on this thread, or null
   * @param now nanoseconds of the session's clock
   */
  long of(MethodDescriptor<?> method, @Nullable CallContext outer, long now) {
    long deadline = now + timeoutNanos(method);
    return outer instanceof ServerCall call ? earlier(deadline, call.deadlineNanos()) : deadline;
  }

  private long timeoutNanos(MethodDescriptor<?> method) {
    if (callerNanos != UNSET) {
      return callerNanos;
    }
    if (method.streaming() && method.timeoutNanos() == 0) {
      return NanoClock.LONGEST_NANOS; // a stream lasts as long as it lasts
    }
    return method.timeoutNanos() > 0
        ? Math.min(NanoClock.LONGEST_NANOS, method.timeoutNanos())
        : defaultNanos;
  }

  private static long earlier(long a, long b) {
    return a - b < 0 ? a : b;
  }
}
