package io.verbena.observe.micrometer;

import com.sun.net.httpserver.HttpServer;
import io.micrometer.core.instrument.Meter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.verbena.api.RpcException;
import io.verbena.channel.BalancedChannel;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What Prometheus is told by a process that serves calls and makes some over TCP.
 *
 * @param labels of each metric, by its name
 * @param text as it was told
 */
record Scrape(Map<String, Set<String>> labels, String text, List<Meter.Id> meters) {
  private static final Pattern SAMPLE =
      Pattern.compile("^([a-zA-Z_:][\\w:]*)(?:\\{(.*)})? \\S+$", Pattern.MULTILINE);
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"(?:[^\"\\\\]|\\\\.)*\"");

  static Scrape ofProcessThatCalls() throws Exception {
    return ofProcessThatCalls(new PrometheusMeterRegistry(PrometheusConfig.DEFAULT));
  }

  static Scrape ofProcessThatCalls(PrometheusMeterRegistry registry) throws Exception {
    new EngineMetrics().bindTo(registry);
    try (VerbenaServer server =
            VerbenaServer.builder()
                .listen("127.0.0.1:0")
                .serve(ShopRpc.bind(new PlainShop()))
                .serverInterceptor(new ServerMetrics(registry))
                .sessionListener(new SessionMetrics(registry))
                .start();
        VerbenaClient client =
            VerbenaClient.builder()
                .clientInterceptor(new ClientMetrics(registry))
                .sessionListener(new SessionMetrics(registry))
                .build();
        BalancedChannel channel =
            BalancedChannel.builder(client, "static:" + server.address()).build()) {
      new ChannelMetrics(channel, "shop").bindTo(registry);
      Shop shop = ShopRpc.client(channel);
      shop.price("bread");
      shop.buy("bread");
      try {
        shop.steal("bread");
        throw new AssertionError("nothing is stolen here");
      } catch (RpcException e) {
        List<Meter.Id> meters = registry.getMeters().stream().map(Meter::getId).toList();
        return of(served(registry), meters);
      }
    }
  }

  private static String served(PrometheusMeterRegistry registry) throws Exception {
    HttpServer http =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    http.createContext(
        "/metrics",
        exchange -> {
          byte[] body = registry.scrape().getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          try (var out = exchange.getResponseBody()) {
            out.write(body);
          }
        });
    http.start();
    try (HttpClient client = HttpClient.newHttpClient()) {
      int port = http.getAddress().getPort();
      URI uri = new URI("http", null, "127.0.0.1", port, "/metrics", null, null);
      return client
          .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
          .body();
    } finally {
      http.stop(0);
    }
  }

  static Scrape of(String text) {
    return of(text, List.of());
  }

  private static Scrape of(String text, List<Meter.Id> meters) {
    Map<String, Set<String>> all = new TreeMap<>();
    Matcher sample = SAMPLE.matcher(text);
    while (sample.find()) {
      Set<String> names = all.computeIfAbsent(sample.group(1), name -> new HashSet<>());
      String labels = sample.group(2);
      if (labels != null) {
        LABEL.matcher(labels).results().forEach(label -> names.add(label.group(1)));
      }
    }
    return new Scrape(all, text, meters);
  }
}
