package io.verbena.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.verbena.codec.json.Json;
import io.verbena.core.VerbenaServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The page, calls and streams behind nginx, in the configurations that its users have. */
@Tag("long")
@Timeout(120)
class BehindNginxTest {
  private final MemoryStore store = new MemoryStore();
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @SuppressWarnings("NullAway.Init") // before each test
  private VerbenaServer server;

  @BeforeEach
  void start() {
    Nginx.assumeInstalled();
    store.values.put(
        "a",
        new Store.Value(
            "a", 3, Optional.empty(), List.of(), Map.of(), new Store.Box(6), new byte[] {1}));
    server =
        VerbenaServer.builder()
            .listen("127.0.0.1:0")
            .drainTime(Duration.ofMillis(100))
            .gateway(
                new HttpGateway(
                    HttpSettings.DEFAULT
                        .withStreamSilence(Duration.ofMillis(300))
                        .withHosts(Set.of("backend"))))
            .serve(StoreRpc.bind(store))
            .start();
  }

  @AfterEach
  void stop() {
    http.shutdownNow();
    if (server != null) {
      server.close();
    }
  }

  /** Where the page is, and the block of the server. */
  record Configuration(String name, String prefix, String block) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Configuration> configurations() {
    return Stream.of(
        new Configuration("bare", "/", "location / { proxy_pass http://127.0.0.1:PORT; }"),
        new Configuration(
            "host without port",
            "/",
            """
            location / {
              proxy_pass http://127.0.0.1:PORT;
              proxy_set_header Host $host;
              proxy_set_header X-Real-IP $remote_addr;
              proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
              proxy_set_header X-Forwarded-Proto $scheme;
            }"""),
        new Configuration(
            "host as sent, HTTP/1.1",
            "/",
            """
            location / {
              proxy_pass http://127.0.0.1:PORT;
              proxy_http_version 1.1;
              proxy_set_header Connection "";
              proxy_set_header Host $http_host;
            }"""),
        new Configuration(
            "below a prefix", "/api/", "location /api/ { proxy_pass http://127.0.0.1:PORT/; }"),
        new Configuration(
            "below a deep prefix that it tells",
            "/team/api/",
            """
            location /team/api/ {
              proxy_pass http://127.0.0.1:PORT/;
              proxy_set_header X-Forwarded-Prefix /team/api;
              proxy_set_header X-Forwarded-Host $http_host;
            }"""));
  }

  private Nginx nginx(String block) throws Exception {
    return Nginx.start(block.replace("PORT", "" + server.address().getPort()));
  }

  @ParameterizedTest
  @MethodSource("configurations")
  void thePageAndItsCallsWork(Configuration configuration) throws Exception {
    try (Nginx nginx = nginx(configuration.block())) {
      URI page = URI.create("http://127.0.0.1:" + nginx.port() + configuration.prefix());
      assertThat(get(page).body()).contains("<title>Verbena");
      HttpResponse<String> document = get(page.resolve("openapi.json"));
      assertThat(document.statusCode()).isEqualTo(200);
      if (configuration.block().contains("X-Forwarded-Prefix")) {
        String told = Json.parse(document.body()).at("/servers/0/url").asText();
        assertThat(told + "/").isEqualTo(configuration.prefix());
      }
      // As a browser sends what the page asks for; its document is at an address that it trusts.
      HttpRequest call =
          HttpRequest.newBuilder(page.resolve("store.v1/get"))
              .header("Origin", "http://127.0.0.1:" + nginx.port())
              .header("Sec-Fetch-Site", "same-origin")
              .POST(HttpRequest.BodyPublishers.ofString("[\"a\"]"))
              .build();
      HttpResponse<String> answer = http.send(call, HttpResponse.BodyHandlers.ofString());
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      if (configuration.block().contains("Host")) { // an older browser, or an address without TLS
        HttpRequest older =
            HttpRequest.newBuilder(call, (name, value) -> !name.equals("Sec-Fetch-Site")).build();
        answer = http.send(older, HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      }
    }
  }

  private HttpResponse<String> get(URI uri) throws Exception {
    return http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void aForeignPageMayNotCall() throws Exception {
    try (Nginx nginx = nginx("location / { proxy_pass http://127.0.0.1:PORT; }")) {
      URI at = URI.create("http://127.0.0.1:" + nginx.port() + "/store.v1/get");
      HttpRequest call =
          HttpRequest.newBuilder(at)
              .header("Origin", "http://evil.example")
              .header("Sec-Fetch-Site", "cross-site")
              .POST(HttpRequest.BodyPublishers.ofString("[\"a\"]"))
              .build();
      assertThat(http.send(call, HttpResponse.BodyHandlers.ofString()).statusCode()).isEqualTo(403);
    }
  }

  /** nginx buffers answers by itself, and gives up what is silent for 'proxy_read_timeout'. */
  @Test
  void aSilentStreamIsNotBufferedAndOutlivesTheTimeoutOfTheProxy() throws Exception {
    try (Nginx nginx =
            nginx("location / { proxy_pass http://127.0.0.1:PORT; proxy_read_timeout 2s; }");
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), nginx.port())) {
      BufferedReader lines = ask(socket, "/store.v1/silent", "", "Accept: text/event-stream\r\n");
      long begun = System.nanoTime();
      while (System.nanoTime() - begun < Duration.ofSeconds(4).toNanos()) {
        assertThat(lines.readLine()).isNotNull();
      }
    }
  }

  @Test
  void anEndCanBeToldFromACut() throws Exception {
    String block = "location / { proxy_pass http://127.0.0.1:PORT; }";
    try (Nginx nginx = nginx(block); // speaks HTTP/1.0 to the server
        Nginx newer = nginx(block.replace("; }", "; proxy_http_version 1.1; }"))) {
      assertThat(all(nginx, "/store.v1/count", "[1,2]", ""))
          .contains("1\n", "2\n", "{\"end\":[]}\n");
      assertThat(all(newer, "/store.v1/count", "[1,2]", ""))
          .contains("1\n", "2\n")
          .doesNotContain("end")
          .endsWith("0\r\n\r\n");
      assertThat(all(nginx, "/store.v1/count", "[1,2]", "Accept: text/event-stream\r\n"))
          .contains("event: end\n");
      try (Socket cut = new Socket(InetAddress.getLoopbackAddress(), newer.port());
          Socket older = new Socket(InetAddress.getLoopbackAddress(), nginx.port())) {
        BufferedReader lines = ask(cut, "/store.v1/endless", "[10]", "");
        BufferedReader others = ask(older, "/store.v1/endless", "[10]", "");
        assertThat(lines.readLine()).isNotNull();
        assertThat(others.readLine()).isNotNull();
        await().until(() -> store.produced.get() > 0);
        Thread closes = Thread.startVirtualThread(server::close);
        assertThat(last(lines)).doesNotContain("\"end\"");
        assertThat(last(others)).doesNotContain("\"end\"");
        closes.join();
      }
    }
  }

  private static String last(BufferedReader lines) throws IOException {
    String last = "";
    for (String line; (line = lines.readLine()) != null; ) {
      last = line;
    }
    return last;
  }

  private static BufferedReader ask(Socket socket, String path, String body, String headers)
      throws IOException {
    String request =
        "POST %s HTTP/1.1\r\nHost: localhost\r\n%sConnection: close\r\nContent-Length: %d\r\n\r\n%s"
            .formatted(path, headers, body.length(), body);
    socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    return new BufferedReader(
        new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
  }

  private static String all(Nginx nginx, String path, String body, String headers)
      throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), nginx.port())) {
      BufferedReader _ = ask(socket, path, body, headers); // has read nothing yet
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
