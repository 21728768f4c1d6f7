package io.verbena.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.ServerInterceptor;
import io.verbena.observe.AccessLog;
import io.verbena.spring.EchoApplication.Caller;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Observers of calls are optional, and found without configuration. */
class ObserversTest {
  private static final AutoConfigurations METRICS =
      AutoConfigurations.of(
          MetricsAutoConfiguration.class,
          CompositeMeterRegistryAutoConfiguration.class,
          SimpleMetricsExportAutoConfiguration.class);

  private final ApplicationContextRunner measured = Contexts.echo().withConfiguration(METRICS);

  private static long calls(MeterRegistry registry, String name, String status) {
    return registry
        .find(name)
        .tags("rpc.method", "stock.v1/count", "rpc.status_code", status)
        .timers()
        .stream()
        .mapToLong(timer -> timer.count())
        .sum();
  }

  @Test
  void aRegistryHasCallsSessionsAndEngines() {
    measured.run(
        context -> {
          MeterRegistry registry = context.getBean(MeterRegistry.class);
          context.getBean(Caller.class).stock().count("rose");
          await()
              .atMost(Duration.ofSeconds(30))
              .until(
                  () ->
                      calls(registry, "rpc.server.call.duration", "OK") == 1
                          && calls(registry, "rpc.client.call.duration", "OK") == 1);
          assertThat(
                  registry.find("verbena.session.events").tag("verbena.event", "opened").counter())
              .isNotNull();
          assertThat(registry.find("verbena.sessions").gauges()).isNotEmpty();
          assertThat(
                  registry
                      .get("verbena.channel.calls")
                      .tag("verbena.channel", "stock")
                      .functionCounter()
                      .count())
              .isOne();
        });
  }

  @Test
  void metricsSeeWhatAnInterceptorOfTheApplicationRefuses() {
    measured
        .withBean(
            ServerInterceptor.class,
            () ->
                (call, next) -> {
                  throw new RpcException(RpcStatus.PERMISSION_DENIED, "not for you");
                })
        .run(
            context -> {
              Stock stock = context.getBean(Caller.class).stock();
              assertThatThrownBy(() -> stock.count("rose")).hasMessageContaining("not for you");
              MeterRegistry registry = context.getBean(MeterRegistry.class);
              await()
                  .atMost(Duration.ofSeconds(30))
                  .until(
                      () -> calls(registry, "rpc.server.call.duration", "PERMISSION_DENIED") == 1);
            });
  }

  @Test
  void anOpenTelemetryHasSpansOfBothEnds() {
    InMemorySpanExporter spans = InMemorySpanExporter.create();
    OpenTelemetrySdk telemetry =
        OpenTelemetrySdk.builder()
            .setTracerProvider(
                SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(spans))
                    .build())
            .build();
    Contexts.echo()
        .withBean(OpenTelemetry.class, () -> telemetry)
        .run(
            context -> {
              context.getBean(Caller.class).stock().count("rose");
              await()
                  .atMost(Duration.ofSeconds(30))
                  .untilAsserted(
                      () ->
                          assertThat(spans.getFinishedSpanItems())
                              .filteredOn(span -> span.getName().contains("stock.v1"))
                              .extracting(SpanData::getKind)
                              .contains(SpanKind.CLIENT, SpanKind.SERVER));
            });
  }

  @Test
  void withoutAnyOfThemCallsAreMadeAllTheSame() {
    Contexts.echo()
        .withClassLoader(
            new FilteredClassLoader(
                "io.micrometer",
                "io.opentelemetry",
                "io.verbena.observe.micrometer",
                "io.verbena.observe.opentelemetry",
                "org.springframework.boot.health",
                "org.springframework.boot.actuate",
                "org.springframework.boot.web",
                "org.springframework.web"))
        .run(
            context -> {
              assertThat(context.getBean(Caller.class).stock().count("rose")).isEqualTo(4);
              assertThat(context).doesNotHaveBean("verbenaServerMetrics");
              assertThat(context).doesNotHaveBean("verbenaServerTelemetry");
              assertThat(context).doesNotHaveBean("verbenaServerHealthIndicator");
            });
  }

  @Test
  void callsAreLoggedWhereAPropertySaysSo() {
    Contexts.echo().run(context -> assertThat(context).doesNotHaveBean(AccessLog.class));
    Contexts.echo()
        .withPropertyValues("verbena.server.access-log=true")
        .run(context -> assertThat(context).hasSingleBean(AccessLog.class));
  }
}
