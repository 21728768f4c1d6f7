package io.verbena.observe.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.verbena.api.Session;
import io.verbena.channel.HealthBoard;
import io.verbena.channel.HealthRpc;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.observe.AccessLog;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Health checks of channels are in no trace and no log. */
class HealthUnseenTest {
  @Test
  void aQuestionForHealthHasNeitherSpansNorALine() {
    Logger access = (Logger) LoggerFactory.getLogger(AccessLog.LOGGER);
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    access.setLevel(Level.INFO);
    access.addAppender(lines);
    InMemorySpanExporter spans = InMemorySpanExporter.create();
    try (OpenTelemetrySdk telemetry =
            OpenTelemetrySdk.builder()
                .setTracerProvider(
                    SdkTracerProvider.builder()
                        .addSpanProcessor(SimpleSpanProcessor.create(spans))
                        .build())
                .build();
        VerbenaServer server =
            VerbenaServer.builder()
                .listen("mem://healthy")
                .serve(HealthRpc.bind(new HealthBoard()))
                .serverInterceptor(new ServerTelemetry(telemetry))
                .serverInterceptor(new AccessLog())
                .start();
        VerbenaClient client =
            VerbenaClient.builder().clientInterceptor(new ClientTelemetry(telemetry)).build();
        Session session = client.connect(server.address().toString())) {
      HealthRpc.client(session).check("");
      telemetry.getTracer("test").spanBuilder("dinner").startSpan().end();
      assertThat(spans.getFinishedSpanItems())
          .extracting(SpanData::getName)
          .containsExactly("dinner");
      assertThat(lines.list).isEmpty();
    } finally {
      access.detachAppender(lines);
    }
  }
}
