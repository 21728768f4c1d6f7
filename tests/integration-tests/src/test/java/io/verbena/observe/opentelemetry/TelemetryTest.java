package io.verbena.observe.opentelemetry;

import static io.opentelemetry.api.common.AttributeKey.longKey;
import static io.opentelemetry.api.common.AttributeKey.stringKey;
import static io.opentelemetry.sdk.testing.assertj.OpenTelemetryAssertions.assertThat;
import static io.opentelemetry.sdk.testing.assertj.OpenTelemetryAssertions.equalTo;
import static io.opentelemetry.sdk.testing.assertj.OpenTelemetryAssertions.satisfies;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.baggage.propagation.W3CBaggagePropagator;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.verbena.api.RpcException;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The exported spans of calls through two servers. */
class TelemetryTest {
  private final InMemorySpanExporter spans = InMemorySpanExporter.create();
  private final InMemoryMetricReader metrics = InMemoryMetricReader.create();
  private final OpenTelemetrySdk telemetry =
      OpenTelemetrySdk.builder()
          .setTracerProvider(
              SdkTracerProvider.builder()
                  .addSpanProcessor(SimpleSpanProcessor.create(spans))
                  .build())
          .setMeterProvider(SdkMeterProvider.builder().registerMetricReader(metrics).build())
          .setPropagators(
              ContextPropagators.create(
                  TextMapPropagator.composite(
                      W3CTraceContextPropagator.getInstance(), W3CBaggagePropagator.getInstance())))
          .build();

  private final VerbenaServer back = server("mem://back", new Stove());
  private final VerbenaClient between = client();
  private final VerbenaServer front = server("mem://front", new Waiter());
  private final VerbenaClient client = client();
  private final Kitchen kitchen = KitchenRpc.client(client.connect("mem://front"));

  private VerbenaServer server(String address, Kitchen serves) {
    return VerbenaServer.builder()
        .listen(address)
        .serve(KitchenRpc.bind(serves))
        .serverInterceptor(new ServerTelemetry(telemetry))
        .start();
  }

  private VerbenaClient client() {
    return VerbenaClient.builder().clientInterceptor(new ClientTelemetry(telemetry)).build();
  }

  @AfterEach
  void close() {
    client.close();
    front.close();
    between.close();
    back.close();
    telemetry.close();
  }

  /** Has soup, and burns the rest. */
  private static final class Stove implements Kitchen {
    @Override
    public String cook(String dish) throws NoSuchDish {
      if (dish.equals("soup")) {
        return "soup for " + Baggage.current().getEntryValue("guest");
      }
      if (dish.equals("stone")) {
        throw new NoSuchDish();
      }
      throw new IllegalStateException("burnt");
    }

    @Override
    public long plates() {
      return 7;
    }
  }

  /** Asks the kitchen behind. */
  private final class Waiter implements Kitchen {
    private final Kitchen behind = KitchenRpc.client(between.connect("mem://back"));

    @Override
    public String cook(String dish) throws NoSuchDish {
      return behind.cook(dish);
    }

    @Override
    public long plates() {
      return Long.parseLong(Span.current().getSpanContext().getTraceId().substring(0, 8), 16);
    }
  }

  @Test
  void aTraceCrossesTwoServers() throws Exception {
    Span outer = telemetry.getTracer("test").spanBuilder("dinner").startSpan();
    try (Scope _ = outer.makeCurrent();
        Scope _ = Baggage.builder().put("guest", "ann").build().makeCurrent()) {
      assertThat(kitchen.cook("soup")).isEqualTo("soup for ann");
    } finally {
      outer.end();
    }

    SpanData atCaller = span(SpanKind.CLIENT, outer.getSpanContext().getSpanId());
    SpanData atFront = span(SpanKind.SERVER, atCaller.getSpanId());
    SpanData between = span(SpanKind.CLIENT, atFront.getSpanId());
    SpanData atBack = span(SpanKind.SERVER, between.getSpanId());
    assertThat(List.of(atCaller, atFront, between, atBack))
        .allSatisfy(
            span ->
                assertThat(span)
                    .hasName("kitchen.v1/cook")
                    .hasTraceId(outer.getSpanContext().getTraceId())
                    .hasStatus(StatusData.unset())
                    .hasAttributesSatisfying(
                        equalTo(stringKey("rpc.system.name"), "verbena"),
                        equalTo(stringKey("rpc.method"), "kitchen.v1/cook"),
                        equalTo(stringKey("rpc.status_code"), "OK"),
                        equalTo(stringKey("verbena.path"), "mem")));
    assertThat(atCaller)
        .hasAttributesSatisfying(
            equalTo(stringKey("server.address"), "front"),
            equalTo(stringKey("verbena.execution"), "EXECUTED"));
    assertThat(atBack)
        .hasAttributesSatisfying(
            satisfies(stringKey("network.peer.address"), host -> host.startsWith("back#")));
  }

  /** An export may follow the reply a little later. */
  private SpanData span(SpanKind kind, String parent) {
    return await()
        .until(
            () ->
                spans.getFinishedSpanItems().stream()
                    .filter(span -> span.getKind() == kind)
                    .filter(span -> span.getParentSpanId().equals(parent))
                    .findFirst()
                    .orElse(null),
            found -> found != null);
  }

  private SpanData root(SpanKind kind) {
    String none = "0000000000000000";
    return kind == SpanKind.CLIENT
        ? span(kind, none)
        : span(kind, span(SpanKind.CLIENT, none).getSpanId());
  }

  @Test
  void aDeclaredExceptionIsTheCallersTrouble() {
    assertThatThrownBy(() -> kitchen.cook("stone")).isInstanceOf(Kitchen.NoSuchDish.class);
    String type = Kitchen.NoSuchDish.class.getName();
    assertThat(root(SpanKind.CLIENT))
        .hasStatusSatisfying(status -> status.isError())
        .hasAttributesSatisfying(
            equalTo(stringKey("rpc.status_code"), "DECLARED"),
            equalTo(stringKey("error.type"), type));
    assertThat(root(SpanKind.SERVER))
        .hasStatus(StatusData.unset())
        .hasAttributesSatisfying(equalTo(stringKey("error.type"), type));
  }

  @Test
  void aHandlersFailureIsItsServers() {
    assertThatThrownBy(() -> kitchen.cook("cake")).isInstanceOf(RpcException.class);
    assertThat(root(SpanKind.CLIENT))
        .hasStatusSatisfying(status -> status.isError())
        .hasAttributesSatisfying(equalTo(stringKey("rpc.status_code"), "INTERNAL"));
    assertThat(root(SpanKind.SERVER))
        .hasStatusSatisfying(status -> status.isError())
        .hasAttributesSatisfying(equalTo(stringKey("error.type"), "INTERNAL"));
  }

  @Test
  void theSpanIsCurrentOnTheEventLoopToo() {
    long seen = kitchen.plates();
    String trace = root(SpanKind.SERVER).getTraceId();
    assertThat(seen).isEqualTo(Long.parseLong(trace.substring(0, 8), 16));
  }

  @Test
  void durationsAreMeasuredByMethodAndEnd() throws Exception {
    kitchen.cook("soup");
    assertThat(root(SpanKind.SERVER)).hasEnded();
    await()
        .untilAsserted(
            () ->
                assertThat(metrics.collectAllMetrics())
                    .anySatisfy(
                        metric ->
                            assertThat(metric)
                                .hasName("rpc.client.call.duration")
                                .hasUnit("s")
                                .hasHistogramSatisfying(
                                    histogram ->
                                        histogram.hasPointsSatisfying(
                                            point ->
                                                point
                                                    .hasCount(2)
                                                    .hasAttributesSatisfying(
                                                        equalTo(stringKey("rpc.status_code"), "OK"),
                                                        equalTo(
                                                            stringKey("verbena.path"), "mem")))))
                    .anySatisfy(metric -> assertThat(metric).hasName("rpc.server.call.duration")));
    assertThat(root(SpanKind.CLIENT).getAttributes().get(longKey("server.port"))).isNull();
  }

  @Test
  void whatGoesIntoNoMessageIsLeftOut() throws Exception {
    Baggage heavy = Baggage.builder().put("guest", "x".repeat(8_150)).build();
    try (Scope _ = heavy.makeCurrent()) {
      assertThat(kitchen.cook("soup")).isEqualTo("soup for null");
    }
    assertThat(root(SpanKind.SERVER).getTraceId()).isEqualTo(root(SpanKind.CLIENT).getTraceId());
  }
}
