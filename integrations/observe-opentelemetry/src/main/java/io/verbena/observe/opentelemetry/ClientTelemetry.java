package io.verbena.observe.opentelemetry;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.verbena.api.Answer;
import io.verbena.api.ClientCall;
import io.verbena.api.ClientInterceptor;
import io.verbena.api.RpcException;
import io.verbena.observe.Conventions;
import io.verbena.observe.Outcome;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Makes a client span for each call that a client or server makes, and sends its context with the
 * call. The parent is the current span of the caller's thread. Measures {@code
 * rpc.client.call.duration}.
 *
 * <p>Register it as the first interceptor, so that a call with all its attempts is one span. Safe
 * for use by any thread.
 */
public final class ClientTelemetry implements ClientInterceptor {
  private final Instruments instruments;

  /** Makes an interceptor that reports to this API and uses its propagators. */
  public ClientTelemetry(OpenTelemetry telemetry) {
    this.instruments =
        new Instruments(
            telemetry,
            Conventions.CLIENT_DURATION,
            "The time of calls, measured by callers",
            new CallAttributes(true));
  }

  @Override
  public <R> CompletionStage<Answer<R>> intercept(ClientCall<R> call) {
    Context parent = Context.current();
    long began = instruments.now();
    Span span =
        instruments.begin(
            SpanKind.CLIENT,
            parent,
            call.method(),
            call.metadata(),
            Conventions.SERVER_ADDRESS,
            Conventions.SERVER_PORT,
            call.session().peer());
    Context context = parent.with(span);
    MetadataCarrier carrier = new MetadataCarrier(call.metadata());
    instruments.propagator().inject(context, carrier, MetadataCarrier.SETTER);
    try (Scope _ = context.makeCurrent()) {
      return call.proceed(carrier.metadata())
          .whenComplete((answer, failure) -> end(call, span, context, began, failure));
    }
  }

  private void end(
      ClientCall<?> call, Span span, Context context, long began, @Nullable Throwable failure) {
    Outcome outcome = Outcome.of(call, failure);
    if (failure != null) {
      span.setStatus(StatusCode.ERROR, words(failure));
    }
    instruments.end(span, context, began, call.method(), call.session(), outcome);
  }

  /** The message of a user's exception may be confidential, so it stays out of traces. */
  private static String words(Throwable failure) {
    Throwable plain = Objects.requireNonNull(Outcome.plain(failure));
    return plain instanceof RpcException told
        ? String.valueOf(told.getMessage())
        : plain.getClass().getName();
  }
}
