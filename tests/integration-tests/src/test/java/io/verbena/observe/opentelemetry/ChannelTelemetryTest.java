package io.verbena.observe.opentelemetry;

import static io.opentelemetry.sdk.testing.assertj.OpenTelemetryAssertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.LongPointData;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.channel.BalancedChannel;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The exported spans of a channel whose first server refuses a call. */
class ChannelTelemetryTest {
  private static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("verbena.attempt");

  private final InMemorySpanExporter spans = InMemorySpanExporter.create();
  private final InMemoryMetricReader metrics = InMemoryMetricReader.create();
  private final OpenTelemetrySdk telemetry =
      OpenTelemetrySdk.builder()
          .setTracerProvider(
              SdkTracerProvider.builder()
                  .addSpanProcessor(SimpleSpanProcessor.create(spans))
                  .build())
          .setMeterProvider(SdkMeterProvider.builder().registerMetricReader(metrics).build())
          .build();
  private final AtomicBoolean refuses = new AtomicBoolean();
  private final VerbenaServer server =
      VerbenaServer.builder()
          .listen("mem://kitchen")
          .serve(KitchenRpc.bind(new Plain()))
          .serverInterceptor(new ServerTelemetry(telemetry))
          .serverInterceptor(
              (call, next) -> {
                if (refuses.getAndSet(false)) {
                  throw new RpcException(RpcStatus.RESOURCE_EXHAUSTED, "the kitchen is full");
                }
                next.run();
              })
          .start();
  private final VerbenaClient client =
      VerbenaClient.builder().clientInterceptor(new ClientTelemetry(telemetry)).build();
  private final BalancedChannel channel =
      BalancedChannel.builder(client, "static:mem://kitchen").build();

  /** Has plates. */
  private static final class Plain implements Kitchen {
    @Override
    public String cook(String dish) {
      return dish;
    }

    @Override
    public long plates() {
      return 7;
    }
  }

  @AfterEach
  void close() {
    channel.close();
    client.close();
    server.close();
    telemetry.close();
  }

  /** Returns each long figure, by its name and what a server's standing is told by. */
  private Map<String, Long> figures() {
    return metrics.collectAllMetrics().stream()
        .filter(metric -> metric.getName().startsWith("verbena.channel."))
        .flatMap(
            metric ->
                metric.getData().getPoints().stream()
                    .map(point -> Map.entry(name(metric.getName(), point.getAttributes()), point)))
        .collect(
            Collectors.toMap(
                Map.Entry::getKey, one -> ((LongPointData) one.getValue()).getValue()));
  }

  private static String name(String metric, Attributes attributes) {
    assertThat(attributes.get(AttributeKey.stringKey("verbena.channel"))).isEqualTo("kitchen");
    String standing = attributes.get(AttributeKey.stringKey("verbena.endpoint"));
    return standing == null ? metric : metric + " " + standing;
  }

  @Test
  void tellsWhatAChannelDidUntilItIsClosed() {
    ChannelTelemetry told = new ChannelTelemetry(telemetry, channel, "kitchen");
    KitchenRpc.client(channel).plates();
    refuses.set(true);
    KitchenRpc.client(channel).plates();
    assertThat(figures())
        .containsOnly(
            Map.entry("verbena.channel.calls", 2L),
            Map.entry("verbena.channel.moves", 0L),
            Map.entry("verbena.channel.retries", 1L),
            Map.entry("verbena.channel.hedges", 0L),
            Map.entry("verbena.channel.refused", 0L),
            Map.entry("verbena.channel.unserved", 0L),
            Map.entry("verbena.channel.endpoints ready", 1L),
            Map.entry("verbena.channel.endpoints ejected", 0L),
            Map.entry("verbena.channel.endpoints out", 0L));
    told.close();
    assertThat(figures()).isEmpty();
  }

  @Test
  void aSpanOfALaterAttemptSaysWhichOneItIs() {
    refuses.set(true);
    KitchenRpc.client(channel).plates();
    for (SpanKind kind : List.of(SpanKind.CLIENT, SpanKind.SERVER)) {
      await().untilAsserted(() -> assertThat(attempts(kind)).containsExactly(1L, 2L));
    }
  }

  private List<Long> attempts(SpanKind kind) {
    return spans.getFinishedSpanItems().stream()
        .filter(span -> span.getKind() == kind)
        .map((SpanData span) -> Objects.requireNonNullElse(span.getAttributes().get(ATTEMPT), 1L))
        .toList();
  }
}
