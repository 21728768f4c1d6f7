package io.verbena.observe.opentelemetry;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.verbena.api.AttemptNumber;
import io.verbena.api.Metadata;
import io.verbena.api.Peer;
import io.verbena.api.Session;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.observe.Conventions;
import io.verbena.observe.Outcome;
import io.verbena.observe.PeerAddress;
import java.util.List;

/** The instruments for spans and measurements of one kind of call. Safe for use by any thread. */
final class Instruments {
  static final String SCOPE = "io.verbena";
  private static final double NANOS_PER_SECOND = 1e9;

  /**
   * The boundaries of the conventions in seconds, with smaller ones for calls in memory or over
   * RDMA.
   */
  private static final List<Double> BOUNDARIES =
      List.of(
          0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
          0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0);

  private final Tracer tracer;
  private final TextMapPropagator propagator;
  private final DoubleHistogram duration;
  private final CallAttributes attributes;

  Instruments(
      OpenTelemetry telemetry, String duration, String description, CallAttributes attributes) {
    this.attributes = attributes;
    this.tracer = telemetry.getTracer(SCOPE);
    this.propagator = telemetry.getPropagators().getTextMapPropagator();
    this.duration =
        telemetry
            .getMeter(SCOPE)
            .histogramBuilder(duration)
            .setUnit("s")
            .setDescription(description)
            .setExplicitBucketBoundariesAdvice(BOUNDARIES)
            .build();
  }

  TextMapPropagator propagator() {
    return propagator;
  }

  long now() {
    return System.nanoTime();
  }

  /**
   * Returns the span of a call that begins now. Attributes that samplers may ask for are set at
   * once. Health checks have no span.
   */
  Span begin(
      SpanKind kind,
      Context parent,
      MethodDescriptor<?> method,
      Metadata metadata,
      String hostKey,
      String portKey,
      Peer peer) {
    if (!Conventions.isTold(method)) {
      return Span.getInvalid();
    }
    String name = method.fullName();
    SpanBuilder span =
        tracer
            .spanBuilder(name)
            .setSpanKind(kind)
            .setParent(parent)
            .setAttribute(CallAttributes.SYSTEM, Conventions.VERBENA)
            .setAttribute(CallAttributes.METHOD, name);
    PeerAddress address = PeerAddress.of(peer);
    if (!address.host().isEmpty()) {
      span.setAttribute(hostKey, address.host());
    }
    if (address.port() != PeerAddress.NONE) {
      span.setAttribute(portKey, (long) address.port());
    }
    int attempt = AttemptNumber.of(metadata);
    if (attempt > 1) {
      span.setAttribute(Conventions.ATTEMPT, (long) attempt);
    }
    return span.startSpan();
  }

  /** Ends the span of a call, and measures it. */
  void end(
      Span span,
      Context context,
      long began,
      MethodDescriptor<?> method,
      Session session,
      Outcome outcome) {
    Attributes all = attributes.of(method, session, outcome);
    duration.record((now() - began) / NANOS_PER_SECOND, all, context);
    span.setAllAttributes(all);
    span.end();
  }
}
