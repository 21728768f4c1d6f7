package io.verbena.observe.opentelemetry;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.verbena.api.CallContext;
import io.verbena.api.RpcStatus;
import io.verbena.api.ServerInterceptor;
import io.verbena.observe.Conventions;
import io.verbena.observe.Outcome;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Makes a server span for each call that a client or server handles. Its parent is the caller's
 * span, whose context comes with the call. The span is current on the handler's thread while the
 * handler runs, so calls made there are its children. Work on other threads keeps the context by
 * {@code Context.current().wrap(task)}. Measures {@code rpc.server.call.duration}.
 *
 * <p>The status of a span is an error if this end is at fault: its handler failed, was late, or
 * could not reach another server. Faults of the caller and declared exceptions only set attributes.
 *
 * <p>Register it as the first interceptor, so that it sees calls that others refuse. Safe for use
 * by any thread.
 */
public final class ServerTelemetry implements ServerInterceptor {
  private static final Set<String> OWN_FAULTS =
      Arrays.stream(RpcStatus.values())
          .filter(RpcStatus::isServerFault)
          .map(RpcStatus::name)
          .collect(Collectors.toUnmodifiableSet());

  private final Instruments instruments;

  /** Makes an interceptor that reports to this API, and reads contexts by its propagators. */
  public ServerTelemetry(OpenTelemetry telemetry) {
    this.instruments =
        new Instruments(
            telemetry,
            Conventions.SERVER_DURATION,
            "The time of calls, measured at handlers",
            new CallAttributes(false));
  }

  @Override
  public void intercept(CallContext call, Next next) throws Exception {
    Context parent =
        instruments.propagator().extract(Context.root(), call.metadata(), MetadataCarrier.GETTER);
    long began = instruments.now();
    Span span =
        instruments.begin(
            SpanKind.SERVER,
            parent,
            call.method(),
            call.metadata(),
            Conventions.PEER_ADDRESS,
            Conventions.PEER_PORT,
            call.session().peer());
    Context context = parent.with(span);
    Outcome outcome;
    try (Scope _ = context.makeCurrent()) {
      outcome = Outcome.answered(next.run());
    } catch (Throwable e) {
      outcome = Outcome.thrown(call, e);
      if (OWN_FAULTS.contains(outcome.status())) {
        span.setStatus(StatusCode.ERROR, e.getClass().getName());
      }
      instruments.end(span, context, began, call.method(), call.session(), outcome);
      throw e;
    }
    instruments.end(span, context, began, call.method(), call.session(), outcome);
  }
}
