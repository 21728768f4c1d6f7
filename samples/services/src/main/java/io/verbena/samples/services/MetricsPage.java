package io.verbena.samples.services;

import com.sun.net.httpserver.HttpServer;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** {@code /metrics} for Prometheus, by the JDK's own web server. */
final class MetricsPage implements AutoCloseable {
  private final ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpServer http;

  MetricsPage(String address, PrometheusMeterRegistry registry) {
    URI at = URI.create("http://" + address);
    try {
      http = HttpServer.create(new InetSocketAddress(at.getHost(), at.getPort()), 0);
    } catch (IOException e) {
      throw new UncheckedIOException("no page of metrics at " + address, e);
    }
    http.createContext(
        "/metrics",
        exchange -> {
          byte[] body = registry.scrape().getBytes(StandardCharsets.UTF_8);
          exchange
              .getResponseHeaders()
              .set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
          exchange.sendResponseHeaders(200, body.length);
          try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
          }
        });
    http.setExecutor(readers);
    http.start();
  }

  String address() {
    InetSocketAddress at = http.getAddress();
    return "http://" + at.getHostString() + ":" + at.getPort() + "/metrics";
  }

  @Override
  public void close() {
    http.stop(0);
    readers.close();
  }
}
