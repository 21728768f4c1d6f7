package io.verbena.observe.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.verbena.api.CallContext;
import io.verbena.api.ServerInterceptor;
import io.verbena.observe.Outcome;

/**
 * Measures the calls that a client or server handles: {@code rpc.server.call.duration}, a timer
 * with a histogram, and {@code verbena.server.calls.active}. The time is that of the handler and of
 * the interceptors after this one, without the wait for a thread. Calls that are refused before any
 * interceptor are not measured, such as those of unknown methods or with malformed arguments.
 *
 * <p>Register it as the first interceptor, so that it sees calls that others refuse. Safe for use
 * by any thread.
 */
public final class ServerMetrics implements ServerInterceptor {
  private final CallMeters meters;

  /** Makes an interceptor that measures by the registry's clock. */
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
