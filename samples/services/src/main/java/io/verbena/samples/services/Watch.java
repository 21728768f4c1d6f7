package io.verbena.samples.services;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.verbena.channel.BalancedChannel;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.observe.micrometer.ChannelMetrics;
import io.verbena.observe.micrometer.ClientMetrics;
import io.verbena.observe.micrometer.EngineMetrics;
import io.verbena.observe.micrometer.ServerMetrics;
import io.verbena.observe.micrometer.SessionMetrics;
import io.verbena.observe.opentelemetry.ClientTelemetry;
import io.verbena.observe.opentelemetry.ServerTelemetry;
import java.time.Duration;

/**
 * The monitoring of a process: metrics for Prometheus, and spans, each of which is logged as a
 * line. With a collector, use {@code OtlpGrpcSpanExporter} in place of {@link SpanLog}, and add
 * {@code service.name}.
 */
final class Watch implements AutoCloseable {
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final OpenTelemetrySdk telemetry;
  private final MetricsPage page;

  /**
   * Begins to monitor.
   *
   * @param name the service's name in traces
   * @param address the address of the page of metrics: {@code host:port}, with port 0 for any
   */
  Watch(String name, String address) {
    telemetry =
        OpenTelemetrySdk.builder()
            .setTracerProvider(
                SdkTracerProvider.builder()
                    .addSpanProcessor(
                        BatchSpanProcessor.builder(new SpanLog(name))
                            .setScheduleDelay(Duration.ofSeconds(1))
                            .build())
                    .build())
            .setPropagators(ContextPropagators.create(W3CTraceContextPropagator.getInstance()))
            .build();
    new EngineMetrics().bindTo(registry);
    page = new MetricsPage(address, registry);
  }

  /** Returns a client whose calls are monitored. */
  VerbenaClient client() {
    return VerbenaClient.builder()
        .clientInterceptor(new ClientTelemetry(telemetry))
        .clientInterceptor(new ClientMetrics(registry))
        .sessionListener(new SessionMetrics(registry))
        .build();
  }

  /** Returns a monitored channel, whose calls wait for a server until their deadline. */
  BalancedChannel channel(VerbenaClient client, String target, String name) {
    BalancedChannel channel = BalancedChannel.builder(client, target).waitForReady().build();
    new ChannelMetrics(channel, name).bindTo(registry);
    return channel;
  }

  /** Returns a builder of a server whose calls are monitored. */
  VerbenaServer.Builder server() {
    return VerbenaServer.builder()
        .serverInterceptor(new ServerTelemetry(telemetry))
        .serverInterceptor(new ServerMetrics(registry))
        .sessionListener(new SessionMetrics(registry));
  }

  /** Returns the address of the page of metrics. */
  String page() {
    return page.address();
  }

  /** Logs the spans that still wait. */
  @Override
  public void close() {
    page.close();
    telemetry.close();
    registry.close();
  }
}
