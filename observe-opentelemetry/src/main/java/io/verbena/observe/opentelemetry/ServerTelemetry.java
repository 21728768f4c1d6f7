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
import java.util.Set;

/**
 * Has a server span for each call that a client or server handles, a child of the caller's, which
 * came along. It is current while the handler runs, on its thread: calls made there are its
 * children. Work that the handler gives to other threads takes it along by {@code
 * Context.current().wrap(task)}. Measures {@code rpc.server.call.duration}.
 *
 * <p>A span's status is an error where this end is at fault: its handler failed, was late, or had
 * to do without another server. What the caller did wrong, and declared exceptions, are told by
 * attributes alone.
 *
 * <p>Let it be the first interceptor, so that it sees what others refuse. Safe for use by any
 * thread.
 */
public final class ServerTelemetry implements ServerInterceptor {
  private static final Set<String> OWN_FAULTS =
      Set.of(
          RpcStatus.INTERNAL.name(),
          RpcStatus.DEADLINE_EXCEEDED.name(),
          RpcStatus.UNAVAILABLE.name(),
          RpcStatus.UNIMPLEMENTED.name(),
          RpcStatus.PROTOCOL_ERROR.name());

  private final Instruments instruments;

  /** Tells of calls by this API, and reads contexts by its propagators. */
  public ServerTelemetry(OpenTelemetry telemetry) {
    this.instruments =
        new Instruments(
            telemetry,
            Conventions.SERVER_DURATION,
            "How long calls take, as handlers see it",
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
