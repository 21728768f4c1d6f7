package io.verbena.observe.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.verbena.api.Answer;
import io.verbena.api.ClientCall;
import io.verbena.api.ClientInterceptor;
import io.verbena.observe.Outcome;
import java.util.concurrent.CompletionStage;

/**
 * Measures the calls that a client or server makes: {@code rpc.client.call.duration}, a timer with
 * a histogram, and {@code verbena.client.calls.active}. The time of a one-way call ends when its
 * peer has confirmed it, or when it is certain that the peer will not.
 *
 * <p>Register it as the first interceptor, so that a call with all its attempts is measured as one.
 * Safe for use by any thread.
 */
public final class ClientMetrics implements ClientInterceptor {
  private final CallMeters meters;

  /** Makes an interceptor that measures by the registry's clock. */
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
