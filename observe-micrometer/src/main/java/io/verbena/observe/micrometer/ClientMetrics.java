package io.verbena.observe.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.verbena.api.Answer;
import io.verbena.api.ClientCall;
import io.verbena.api.ClientInterceptor;
import io.verbena.observe.Outcome;
import java.util.concurrent.CompletionStage;

/**
 * Measures the calls that a client or server makes: {@code rpc.client.call.duration}, a timer with
 * a histogram, and {@code verbena.client.calls.active}. A one-way call's time is until its peer has
 * said that it is done, or it was found that it will not be.
 *
 * <p>Let it be the first interceptor: a call with all its attempts is one then. Safe for use by any
 * thread.
 */
public final class ClientMetrics implements ClientInterceptor {
  private final CallMeters meters;

  /** Measures into a registry, by its clock. */
  public ClientMetrics(MeterRegistry registry) {
    this.meters = new CallMeters(registry, CallMeters.Kind.CLIENT);
  }

  @Override
  public <R> CompletionStage<Answer<R>> intercept(ClientCall<R> call) {
    CallMeters.Running running = meters.begin(call.method());
    return call.proceed()
        .whenComplete((answer, failure) -> running.end(call.session(), Outcome.of(call, failure)));
  }
}
