package io.verbena.observe.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.opentelemetry.sdk.trace.samplers.SamplingResult;
import io.verbena.channel.HealthBoard;
import io.verbena.channel.HealthRpc;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a channel asks its servers, second by second, need not be in traces. */
class HealthSampledOutTest {
  /** Leaves out what channels ask for health, and asks another sampler for all else. */
  private record WithoutHealth(Sampler others) implements Sampler {
    @Override
    public SamplingResult shouldSample(
        Context parent,
        String trace,
        String name,
        SpanKind kind,
        Attributes attributes,
        List<LinkData> links) {
      return name.equals("verbena.health.v1/check")
          ? SamplingResult.drop()
          : others.shouldSample(parent, trace, name, kind, attributes, links);
    }

    @Override
    public String getDescription() {
      return "without health, " + others.getDescription();
    }
  }

  @Test
  void neitherEndHasASpanOfIt() throws Exception {
    InMemorySpanExporter spans = InMemorySpanExporter.create();
    SdkTracerProvider tracing =
        SdkTracerProvider.builder()
            .setSampler(Sampler.parentBased(new WithoutHealth(Sampler.alwaysOn())))
            .addSpanProcessor(SimpleSpanProcessor.create(spans))
            .build();
    try (OpenTelemetrySdk telemetry =
            OpenTelemetrySdk.builder()
                .setTracerProvider(tracing)
                .setPropagators(ContextPropagators.create(W3CTraceContextPropagator.getInstance()))
                .build();
        VerbenaClient client =
            VerbenaClient.builder().clientInterceptor(new ClientTelemetry(telemetry)).build();
        VerbenaServer server =
            VerbenaServer.builder()
                .listen("mem://healthy")
                .serve(HealthRpc.bind(new HealthBoard()))
                .serverInterceptor(new ServerTelemetry(telemetry))
                .start()) {
      HealthRpc.client(client.connect(server.address().toString())).check("");
      telemetry.getTracer("test").spanBuilder("dinner").startSpan().end();
      assertThat(spans.getFinishedSpanItems())
          .extracting(SpanData::getName)
          .containsExactly("dinner");
    }
  }
}
