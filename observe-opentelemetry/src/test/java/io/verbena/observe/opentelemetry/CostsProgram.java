package io.verbena.observe.opentelemetry;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.helpers.NOPAppender;
import com.sun.management.ThreadMXBean;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.verbena.api.Answer;
import io.verbena.api.ClientCall;
import io.verbena.api.ClientInterceptor;
import io.verbena.api.ServerInterceptor;
import io.verbena.api.Session;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.observe.AccessLog;
import io.verbena.observe.micrometer.ClientMetrics;
import io.verbena.observe.micrometer.ServerMetrics;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import jdk.jfr.Recording;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Prints the table of docs/how-to/observe.md: how many bytes of heap an async call to a nonBlocking
 * handler takes in memory, both ends and their loops together, and how many more with each way of
 * observing it. The least of many rounds, since compiling allocates as well.
 */
final class CostsProgram {
  private static final Logger ACCESS = (Logger) LoggerFactory.getLogger(AccessLog.LOGGER);
  private static final int WARM_UP = 300_000;
  private static final int ROUND = 2_000;
  private static final int ROUNDS = 100;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

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

  private static final class Through implements ClientInterceptor {
    @Override
    public <R> CompletionStage<Answer<R>> intercept(ClientCall<R> call) {
      return call.proceed();
    }
  }

  private record Ends(
      @Nullable ClientInterceptor client, @Nullable ServerInterceptor server, boolean recorded) {}

  public static void main(String[] arguments) throws Exception {
    MeterRegistry registry = new SimpleMeterRegistry();
    Map<String, Ends> ways = new LinkedHashMap<>();
    ways.put("nothing", new Ends(null, null, false));
    ways.put("client, interceptor that does nothing", client(new Through()));
    ways.put("client, `ClientMetrics`", client(new ClientMetrics(registry)));
    ways.put(
        "client, `ClientTelemetry`, sampled", client(new ClientTelemetry(sdk(Sampler.alwaysOn()))));
    ways.put(
        "client, `ClientTelemetry`, not sampled",
        client(new ClientTelemetry(sdk(Sampler.alwaysOff()))));
    ways.put("server, interceptor that does nothing", server((call, next) -> next.run()));
    ways.put("server, `ServerMetrics`", server(new ServerMetrics(registry)));
    ways.put(
        "server, `ServerTelemetry`, sampled", server(new ServerTelemetry(sdk(Sampler.alwaysOn()))));
    ways.put(
        "server, `ServerTelemetry`, not sampled",
        server(new ServerTelemetry(sdk(Sampler.alwaysOff()))));
    ways.put("server, `AccessLog`, its logger off", server(new AccessLog()));
    ways.put("server, `AccessLog`, to an appender that drops lines", server(logged()));
    ways.put("both, JFR records calls of 10 ms", new Ends(null, null, true));
    CostsProgram costs = new CostsProgram();
    long plain = costs.ofCall(ways.get("nothing"));
    System.out.println("| observed by | bytes a call | more |\n|---|---|---|");
    for (Map.Entry<String, Ends> way : ways.entrySet()) {
      long bytes = costs.ofCall(way.getValue());
      System.out.printf("| %s | %d | %d |%n", way.getKey(), bytes, bytes - plain);
    }
  }

  /** Has the logger on from the first call on. */
  private static ServerInterceptor logged() {
    AccessLog log = new AccessLog();
    return (call, next) -> {
      if (!ACCESS.isInfoEnabled()) {
        NOPAppender<ILoggingEvent> drops = new NOPAppender<>();
        drops.setContext(ACCESS.getLoggerContext());
        drops.start();
        ACCESS.addAppender(drops);
        ACCESS.setAdditive(false);
        ACCESS.setLevel(Level.INFO);
      }
      log.intercept(call, next);
    };
  }

  private static Ends client(ClientInterceptor interceptor) {
    return new Ends(interceptor, null, false);
  }

  private static Ends server(ServerInterceptor interceptor) {
    return new Ends(null, interceptor, false);
  }

  private static OpenTelemetry sdk(Sampler sampler) {
    return OpenTelemetrySdk.builder()
        .setTracerProvider(
            SdkTracerProvider.builder()
                .setSampler(sampler)
                .addSpanProcessor(SimpleSpanProcessor.create(SpanExporter.composite()))
                .build())
        .setMeterProvider(
            SdkMeterProvider.builder().registerMetricReader(InMemoryMetricReader.create()).build())
        .setPropagators(ContextPropagators.create(W3CTraceContextPropagator.getInstance()))
        .build();
  }

  private long ofCall(@Nullable Ends ends) {
    Ends way = ends == null ? new Ends(null, null, false) : ends;
    VerbenaServer.Builder server =
        VerbenaServer.builder().listen("mem://kitchen").serve(KitchenRpc.bind(new Plain()));
    VerbenaClient.Builder client = VerbenaClient.builder();
    UnaryOperator<Recording> calls =
        recording -> {
          recording.enable("verbena.ClientCall").withThreshold(Duration.ofMillis(10));
          recording.enable("verbena.ServerCall").withThreshold(Duration.ofMillis(10));
          recording.start();
          return recording;
        };
    try (Recording _ = way.recorded ? calls.apply(new Recording()) : new Recording();
        VerbenaServer _ =
            (way.server == null ? server : server.serverInterceptor(way.server)).start();
        VerbenaClient caller =
            (way.client == null ? client : client.clientInterceptor(way.client)).build();
        Session session = caller.connect("mem://kitchen")) {
      KitchenRpc.Async kitchen = KitchenRpc.async(session);
      make(kitchen, WARM_UP);
      long least = Long.MAX_VALUE;
      for (int i = 0; i < ROUNDS; i++) {
        long before = threads.getTotalThreadAllocatedBytes();
        make(kitchen, ROUND);
        least = Math.min(least, (threads.getTotalThreadAllocatedBytes() - before) / ROUND);
      }
      return least;
    }
  }

  private static void make(KitchenRpc.Async kitchen, int count) {
    for (int i = 0; i < count; i++) {
      CompletableFuture<Long> call = kitchen.plates().toCompletableFuture();
      while (!call.isDone()) {
        Thread.onSpinWait(); // waiting in get() would allocate
      }
    }
  }
}
