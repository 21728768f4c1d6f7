package io.verbena.observe.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.verbena.api.CallContext;
import io.verbena.api.ServerInterceptor;
import io.verbena.observe.Outcome;

/**
 * Measures the calls that a client or server handles: {@code rpc.server.call.duration}, a timer
 * with a histogram, and {@code verbena.server.calls.active}. The time is the handler's and that of
 * the interceptors behind this one; what waited for a thread before is not in it. What was refused
 * before any interceptor is not seen: methods that nobody serves, arguments that do not decode.
 *
 * <p>Let it be the first interceptor, so that it sees what others refuse. Safe for use by any
 * thread.
 */
public final class ServerMetrics implements ServerInterceptor {
  private final CallMeters meters;

  /** Measures into a registry, by its clock. */
  public ServerMetrics(MeterRegistry registry) {
    this.meters = new CallMeters(registry, CallMeters.Kind.SERVER);
  }

  @Override
  public void intercept(CallContext call, Next next) throws Exception {
    CallMeters.Running running = meters.begin(call.method());
    Outcome outcome;
    try {
      outcome = Outcome.answered(next.run());
    } catch (Throwable e) {
      running.end(call.session(), Outcome.thrown(call, e));
      throw e;
    }
    running.end(call.session(), outcome);
  }
}
