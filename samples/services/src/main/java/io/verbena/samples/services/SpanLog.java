package io.verbena.samples.services;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanId;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.verbena.observe.Conventions;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs a line for each span, if there is no collector. Safe for use by any thread. */
final class SpanLog implements SpanExporter {
  private static final Logger LOG = LoggerFactory.getLogger("spans");
  private static final AttributeKey<String> STATUS = AttributeKey.stringKey(Conventions.STATUS);

  private final String service;

  SpanLog(String service) {
    this.service = service;
  }

  @Override
  public CompletableResultCode export(Collection<SpanData> spans) {
    spans.forEach(span -> LOG.info("{}", line(span)));
    return CompletableResultCode.ofSuccess();
  }

  private String line(SpanData span) {
    String parent = SpanId.isValid(span.getParentSpanId()) ? span.getParentSpanId() : "none";
    long micros =
        TimeUnit.NANOSECONDS.toMicros(span.getEndEpochNanos() - span.getStartEpochNanos());
    return "trace=%s span=%s parent=%s %-9s %-6s %s %s %d us"
        .formatted(
            span.getTraceId(),
            span.getSpanId(),
            parent,
            service,
            span.getKind(),
            span.getName(),
            span.getAttributes().get(STATUS),
            micros);
  }

  @Override
  public CompletableResultCode flush() {
    return CompletableResultCode.ofSuccess();
  }

  @Override
  public CompletableResultCode shutdown() {
    return CompletableResultCode.ofSuccess();
  }
}
