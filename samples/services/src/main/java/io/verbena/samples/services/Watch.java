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
 * What can be seen of a process: metrics for Prometheus, and spans, each of which is logged as a
 * line. Who has a collector takes {@code OtlpGrpcSpanExporter} in place of {@link SpanLog}, and
 * adds {@code service.name}.
 */
final class Watch implements AutoCloseable {
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final OpenTelemetrySdk telemetry;
  private final MetricsPage page;

  /**
   * Begins to watch.
   *
   * @param name of the service, as traces have it
   * @param address of the page of metrics: {@code host:port}, with port 0 for any
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

  /** Returns a client whose calls are seen. */
  VerbenaClient client() {
    return VerbenaClient.builder()
        .clientInterceptor(new ClientTelemetry(telemetry))
        .clientInterceptor(new ClientMetrics(registry))
        .sessionListener(new SessionMetrics(registry))
        .build();
  }

  /** Returns a channel that is seen, and whose calls wait for a server until their deadline. */
  BalancedChannel channel(VerbenaClient client, String target, String name) {
    BalancedChannel channel = BalancedChannel.builder(client, target).waitForReady().build();
    new ChannelMetrics(channel, name).bindTo(registry);
    return channel;
  }

  /** Has the calls that a server serves seen. */
  VerbenaServer.Builder server() {
    return VerbenaServer.builder()
        .serverInterceptor(new ServerTelemetry(telemetry))
        .serverInterceptor(new ServerMetrics(registry))
        .sessionListener(new SessionMetrics(registry));
  }

  /** Returns where the page of metrics is. */
  String page() {
    return page.address();
  }

  /** Logs the spans that wait still. */
  @Override
  public void close() {
    page.close();
    telemetry.close();
    registry.close();
  }
}
