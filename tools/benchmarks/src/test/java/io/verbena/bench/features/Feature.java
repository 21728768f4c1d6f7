package io.verbena.bench.features;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.helpers.NOPAppender;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.verbena.api.Answer;
import io.verbena.api.CallContext;
import io.verbena.api.CallOptions;
import io.verbena.api.ClientCall;
import io.verbena.api.ClientInterceptor;
import io.verbena.api.Metadata;
import io.verbena.api.ServerInterceptor;
import io.verbena.channel.BalancedChannel;
import io.verbena.observe.AccessLog;
import io.verbena.observe.micrometer.ClientMetrics;
import io.verbena.observe.micrometer.ServerMetrics;
import io.verbena.observe.opentelemetry.ClientTelemetry;
import io.verbena.observe.opentelemetry.ServerTelemetry;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * A way of calling, with one feature or none.
 *
 * @param title what it has that a plain call has not
 * @param options of the stub
 * @param client stands around calls of the client
 * @param server stands around calls at the server
 * @param channel makes calls over a channel; null for a session
 * @param servers how many there are
 * @param items of a stream, which count in place of calls; 0 for calls
 */
public record Feature(
    String title,
    CallOptions options,
    @Nullable ClientInterceptor client,
    @Nullable ServerInterceptor server,
    @Nullable UnaryOperator<BalancedChannel.Builder> channel,
    int servers,
    int items) {
  private static final Metadata.Key<String> TRACE = Metadata.Key.text("trace");
  private static final Metadata METADATA = Metadata.EMPTY.with(TRACE, "0af7651916cd43dd");
  private static final Duration NEVER_DUE = Duration.ofMinutes(1);
  private static final int STREAMED = 2_000;

  /** Returns a plain call, and calls with each feature. */
  public static List<Feature> all() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    return List.of(
        plain("a call without any"),
        stub(
            "metadata of a call: a key, 16 characters", CallOptions.DEFAULT.withMetadata(METADATA)),
        server("metadata of a reply: the same", Feature::withReplyMetadata),
        client("interceptor of the client that does nothing", new Through()),
        stub(
            "interceptor of a stub that does nothing",
            CallOptions.DEFAULT.withInterceptors(new Through())),
        server("interceptor of the server that does nothing", (call, next) -> next.run()),
        server("the same, which looks at arguments and result", Feature::looking),
        channel("channel of 1 server", 1, channel -> channel),
        channel("channel of 3 servers, by turns", 3, channel -> channel),
        channel("the same, hedged, where no hedge is due", 3, c -> c.hedgeAfter(NEVER_DUE)),
        new Feature(
            "item of a stream, of many", CallOptions.DEFAULT, null, null, null, 1, STREAMED),
        client("`ClientMetrics`", new ClientMetrics(registry)),
        server("`ServerMetrics`", new ServerMetrics(registry)),
        client("`ClientTelemetry`, sampled", new ClientTelemetry(tracing(Sampler.alwaysOn()))),
        client("`ClientTelemetry`, not sampled", new ClientTelemetry(tracing(Sampler.alwaysOff()))),
        server("`ServerTelemetry`, sampled", new ServerTelemetry(tracing(Sampler.alwaysOn()))),
        server("`ServerTelemetry`, not sampled", new ServerTelemetry(tracing(Sampler.alwaysOff()))),
        server("`AccessLog`, to an appender that drops lines", logging()));
  }

  private static void looking(CallContext call, ServerInterceptor.Next next) throws Exception {
    if (next.arguments().contains(null)) {
      throw new IllegalStateException("null was sent");
    }
    next.onResult(Objects::requireNonNull);
    next.run();
  }

  private static Feature plain(String title) {
    return new Feature(title, CallOptions.DEFAULT, null, null, null, 1, 0);
  }

  private static Feature stub(String title, CallOptions options) {
    return new Feature(title, options, null, null, null, 1, 0);
  }

  private static Feature client(String title, ClientInterceptor interceptor) {
    return new Feature(title, CallOptions.DEFAULT, interceptor, null, null, 1, 0);
  }

  private static Feature server(String title, ServerInterceptor interceptor) {
    return new Feature(title, CallOptions.DEFAULT, null, interceptor, null, 1, 0);
  }

  private static Feature channel(
      String title, int servers, UnaryOperator<BalancedChannel.Builder> settings) {
    return new Feature(title, CallOptions.DEFAULT, null, null, settings, servers, 0);
  }

  private static final class Through implements ClientInterceptor {
    @Override
    public <R> CompletionStage<Answer<R>> intercept(ClientCall<R> call) {
      return call.proceed();
    }
  }

  private static void withReplyMetadata(CallContext call, ServerInterceptor.Next next)
      throws Exception {
    call.replyMetadata(METADATA);
    next.run();
  }

  private static ServerInterceptor logging() {
    Logger logger = (Logger) LoggerFactory.getLogger(AccessLog.LOGGER);
    NOPAppender<ILoggingEvent> drops = new NOPAppender<>();
    drops.setContext(logger.getLoggerContext());
    drops.start();
    logger.addAppender(drops);
    logger.setAdditive(false);
    logger.setLevel(Level.INFO);
    return new AccessLog();
  }

  private static OpenTelemetry tracing(Sampler sampler) {
    return OpenTelemetrySdk.builder()
        .setTracerProvider(
            SdkTracerProvider.builder()
                .setSampler(sampler)
                .addSpanProcessor(SimpleSpanProcessor.create(SpanExporter.composite()))
                .build())
        .setPropagators(ContextPropagators.create(W3CTraceContextPropagator.getInstance()))
        .build();
  }
}
