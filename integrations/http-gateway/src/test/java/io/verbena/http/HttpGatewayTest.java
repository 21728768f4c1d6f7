package io.verbena.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.JsonNode;
import io.verbena.api.Session;
import io.verbena.codec.json.Json;
import io.verbena.core.ClientAuthenticator.AuthenticationException;
import io.verbena.core.Gateway;
import io.verbena.core.LocalSessions;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.link.PortProtocol;
import io.verbena.link.TlsOptions;
import io.verbena.testkit.Root;
import io.verbena.testkit.TestIdentity;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.lang.ref.WeakReference;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** A server's services by HTTP, over real sockets. */
@Timeout(60)
class HttpGatewayTest {
  private static final Store.Value VALUE =
      new Store.Value(
          "a",
          3,
          Optional.empty(),
          List.of(Store.Colour.GREEN),
          Map.of("x", 1),
          new Store.Box(6),
          new byte[] {1, 2, 3});
  private static final String VALUE_AS_JSON =
      "{\"text\":\"a\",\"version\":3,\"since\":null,\"colours\":[\"GREEN\"],\"counts\":{\"x\":1},"
          + "\"packing\":{\"Box\":{\"pieces\":6}},\"bytes\":\"AQID\"}";

  private static final Duration LONGEST = Duration.ofSeconds(40);

  private final MemoryStore store = new MemoryStore();
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @SuppressWarnings("NullAway.Init") // each test starts one
  private VerbenaServer server;

  @AfterEach
  void close() {
    http.shutdownNow();
    if (server != null) {
      server.close();
    }
  }

  private static VerbenaServer.Builder builder() {
    return VerbenaServer.builder().listen("127.0.0.1:0").drainTime(Duration.ofSeconds(3));
  }

  private void start() {
    start(builder(), HttpSettings.DEFAULT);
  }

  private void start(VerbenaServer.Builder builder, HttpSettings settings) {
    store.values.put("a", VALUE);
    server = builder.gateway(new HttpGateway(settings)).serve(StoreRpc.bind(store)).start();
  }

  private int port() {
    return server.address().getPort();
  }

  private HttpRequest.Builder to(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path));
  }

  private HttpResponse<String> get(String path) throws Exception {
    return http.send(to(path).build(), HttpResponse.BodyHandlers.ofString());
  }

  private HttpResponse<String> post(String path, String body, String... headers) throws Exception {
    HttpRequest.Builder request = to(path).POST(HttpRequest.BodyPublishers.ofString(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private static void assertFails(
      HttpResponse<String> answer, int status, String kind, String... words) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(answer.headers().firstValue("Verbena-Status")).contains(kind);
    JsonNode why = Json.parse(answer.body());
    assertThat(why.path("status").asText()).isEqualTo(kind);
    assertThat(List.of(words))
        .allSatisfy(word -> assertThat(why.path("message").asText()).contains(word));
  }

  /** Sends text as it is, and reads all that comes until the server closes. */
  private String raw(String text) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
      socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  // ---- calls ----

  @Test
  void aMethodIsCalledWithJson() throws Exception {
    start();
    HttpResponse<String> answer = post("/store.v1/get", "{\"key\":\"a\"}");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.headers().firstValue("content-type")).contains("application/json");
    assertThat(answer.body()).isEqualTo(VALUE_AS_JSON + "\n");
  }

  @Test
  void argumentsMayStandInTheirOrderAndAMethodMayReturnNothing() throws Exception {
    start();
    HttpResponse<String> nothing = post("/store.v1/put", "[\"b\"," + VALUE_AS_JSON + "]");
    assertThat(nothing.statusCode()).isEqualTo(204);
    assertThat(nothing.headers().map()).doesNotContainKeys("content-type", "content-length");
    assertThat(store.values)
        .hasEntrySatisfying("b", value -> assertThat(value.packing()).isEqualTo(new Store.Box(6)));
    assertThat(post("/store.v1/note", "[\"x\"]").statusCode()).isEqualTo(204);
    assertThat(store.noted.await(10, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void curlPrintsWhatThePageSays() throws Exception {
    boolean hasCurl =
        Stream.of(System.getenv("PATH").split(":"))
            .anyMatch(directory -> Files.isExecutable(Path.of(directory, "curl")));
    assumeThat(hasCurl).isTrue();
    start();
    String page = Files.readString(Root.resolve("docs/how-to/http.md"));
    String block = page.substring(page.indexOf("```console\n") + 11);
    String[] runs = block.substring(0, block.indexOf("```")).split("(?m)^\\$ ");
    assertThat(runs).hasSizeGreaterThan(3);
    for (String run : List.of(runs).subList(1, runs.length)) {
      String command = run.lines().findFirst().orElseThrow();
      String typed = command.replace("curl", "curl -s").replace(":7400", ":" + port());
      Process shell = new ProcessBuilder("sh", "-c", typed).start();
      assertThat(shell.getInputStream().readAllBytes())
          .asString()
          .as(command)
          .isEqualTo(run.substring(command.length() + 1));
      assertThat(shell.waitFor()).isZero();
    }
  }

  @Test
  void linksAreSpokenAtTheSamePort() throws Exception {
    start();
    try (VerbenaClient client = VerbenaClient.builder().build();
        Session session = client.connect(server.address().toString())) {
      assertThat(StoreRpc.client(session).get("a").version()).isEqualTo(3);
      assertThat(StoreRpc.client(session).bytes(1 << 20)).hasSize(1 << 20);
      assertThat(post("/store.v1/get", "[\"a\"]").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void aPortWithoutAGatewaySpeaksNoHttp() throws Exception {
    server = builder().serve(StoreRpc.bind(store)).start();
    String answer;
    try {
      answer = raw("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    } catch (IOException reset) {
      answer = "";
    }
    assertThat(answer).doesNotContain("HTTP/1.1");
  }

  @Test
  void aSilentConnectionIsClosed() throws Exception {
    start(builder().connectTimeout(Duration.ofMillis(100)), HttpSettings.DEFAULT);
    assertThat(raw("")).isEmpty();
  }

  @Test
  void largeValuesAreJsonAsWellUpToTheLimit() throws Exception {
    start(builder(), HttpSettings.DEFAULT.withMaxResponseBytes(1 << 20).withMaxRequestBytes(4096));
    HttpResponse<String> long_ = post("/store.v1/bytes", "[900000]");
    assertThat(long_.statusCode()).as(long_.body()).isEqualTo(200);
    assertThat(long_.body()).hasSize(1_200_003);
    assertFails(post("/store.v1/bytes", "[1100000]"), 429, "RESOURCE_EXHAUSTED");
  }

  // ---- what is wrong with requests ----

  @Test
  void wrongJsonIsRefusedWithItsPlace() throws Exception {
    start();
    String wrong = "{\"key\":\"b\",\"value\":" + VALUE_AS_JSON.replace("6", "\"six\"") + "}";
    assertFails(
        post("/store.v1/put", wrong), 400, "INVALID_ARGUMENT", "value.packing.Box.pieces", "six");
    assertFails(post("/store.v1/get", "{\"kei\":1}"), 400, "INVALID_ARGUMENT", "kei");
    assertFails(post("/store.v1/get", "{"), 400, "INVALID_ARGUMENT", "the object is not closed");
    assertFails(
        post("/store.v1/sum", "{\"what\":\"x\",\"numbers\":[1,\"x\"]}"),
        400,
        "INVALID_ARGUMENT",
        "numbers[1]");
  }

  @Test
  void anUnknownNameIsAnsweredWithThoseLikeIt() throws Exception {
    start();
    assertFails(post("/store.v1/gett", "{}"), 404, "UNIMPLEMENTED", "no method 'gett'", "get");
    assertFails(post("/stor.v1/get", "{}"), 404, "UNIMPLEMENTED", "'stor.v1'", "store.v1");
    assertFails(post("/elsewhere", "{}"), 404, "UNIMPLEMENTED", "/SERVICE/METHOD");
    assertFails(post("/store.v1/picture", "{}"), 501, "UNIMPLEMENTED", "large object");
  }

  @Test
  void aMethodIsNotRead() throws Exception {
    start();
    HttpResponse<String> answer = get("/store.v1/get");
    assertFails(answer, 405, "INVALID_ARGUMENT", "POST", "curl -d");
    assertThat(answer.headers().firstValue("allow")).contains("POST, OPTIONS");
  }

  @Test
  void aRequestThatIsTooLongIsRefused() throws Exception {
    start(builder(), HttpSettings.DEFAULT.withMaxRequestBytes(1000));
    assertFails(
        post("/store.v1/get", "[\"" + "x".repeat(2000) + "\"]"), 413, "INVALID_ARGUMENT", "1000");
    String head =
        "POST /store.v1/get HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
    assertThat(raw(head + "5dc\r\n" + " ".repeat(1500) + "\r\n0\r\n\r\n")).contains(" 413 ");
    assertThat(raw("GET /" + "x".repeat(10_000) + " HTTP/1.1\r\n\r\n")).contains(" 414 ", "8192");
    assertThat(raw("GET / HTTP/1.1\r\nA: " + "x".repeat(40_000) + "\r\n\r\n"))
        .contains(" 431 ", "32768");
  }

  @Test
  void aRequestThatDoesNotEndIsEnded() throws Exception {
    start(builder(), HttpSettings.DEFAULT.withRequestTime(Duration.ofMillis(100)));
    assertThat(raw("POST /store")).contains(" 408 ", "requestTime");
    String half = "POST /store.v1/get HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n{";
    assertThat(raw(half)).contains(" 408 ");
  }

  @Test
  void anIdleConnectionIsClosed() throws Exception {
    start(builder(), HttpSettings.DEFAULT.withIdleTime(Duration.ofSeconds(2)));
    String request =
        "POST /store.v1/count HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n[1,2]";
    assertThat(raw(request)).contains(" 200 ");
  }

  @Test
  void pagesOfOtherOriginsMayNotCall() throws Exception {
    start();
    assertFails(
        post("/store.v1/get", "[\"a\"]", "Origin", "http://evil.example"),
        403,
        "PERMISSION_DENIED",
        "origins");
    String own = "http://127.0.0.1:" + port();
    assertThat(post("/store.v1/get", "[\"a\"]", "Origin", own).statusCode()).isEqualTo(200);
  }

  // ---- statuses, deadlines, metadata ----

  @Test
  void aDeclaredExceptionHasItsMembers() throws Exception {
    start();
    HttpResponse<String> answer = post("/store.v1/get", "[\"z\"]");
    assertFails(answer, 422, "DECLARED", "nothing is kept under 'z'");
    assertThat(Json.parse(answer.body()).path("type").asText()).endsWith("NoSuchKey");
    assertThat(Json.parse(answer.body()).path("details").path("message").asText()).contains("'z'");
  }

  @Test
  void deadlinesAreThoseOfTheHeaderOrTheMethod() throws Exception {
    start();
    assertFails(post("/store.v1/sleep", ""), 504, "DEADLINE_EXCEEDED");
    assertFails(post("/store.v1/held", "", "Verbena-Timeout", "50ms"), 504, "DEADLINE_EXCEEDED");
    assertFails(post("/store.v1/held", "", "grpc-timeout", "50m"), 504, "DEADLINE_EXCEEDED");
    assertFails(post("/store.v1/held", "", "Verbena-Timeout", "soon"), 400, "INVALID_ARGUMENT");
  }

  @Test
  void metadataAreHeaders() throws Exception {
    start();
    HttpResponse<String> answer =
        post("/store.v1/who", "[\"request-id\"]", "Verbena-Metadata-Request-Id", "7f3a");
    assertThat(answer.body()).contains("anonymous from tcp://127.0.0.1:", "by tcp: 7f3a");
    assertThat(answer.headers().firstValue("verbena-metadata-served-by")).contains("memory");
    assertThat(answer.headers().firstValue("verbena-metadata-bin-in-words")).contains("Z3LDvG4=");
    assertThat(answer.headers().firstValue("verbena-metadata-bin-bin-colour")).contains("cmVk");
    assertThat(answer.headers().firstValue("verbena-metadata-bin-colour")).isEmpty();
    assertThat(post("/store.v1/who", "[\"traceparent\"]", "traceparent", "00-ab").body())
        .contains("00-ab");
    assertFails(
        post("/store.v1/who", "[\"x\"]", "Verbena-Metadata-A!", "1"), 400, "INVALID_ARGUMENT");
    String priority = "Verbena-Metadata-Verbena-Priority";
    assertThat(post("/store.v1/who", "[\"x\"]", priority, "critical").statusCode()).isEqualTo(200);
    assertFails(post("/store.v1/who", "[\"x\"]", priority, "utmost"), 400, "INVALID_ARGUMENT");
    String attempt = "Verbena-Metadata-Verbena-Attempt";
    assertFails(post("/store.v1/who", "[\"x\"]", attempt, "2"), 400, "INVALID_ARGUMENT");
  }

  // ---- streams ----

  @Test
  void aStreamIsLinesOrEvents() throws Exception {
    start();
    HttpResponse<String> lines = post("/store.v1/count", "[1,3]");
    assertThat(lines.body()).isEqualTo("1\n2\n3\n");
    assertThat(lines.headers().firstValue("content-type")).contains("application/x-ndjson");
    HttpResponse<String> events = post("/store.v1/count", "[1,2]", "Accept", "text/event-stream");
    assertThat(events.body()).isEqualTo("data: 1\n\ndata: 2\n\nevent: end\ndata: []\n\n");
    assertThat(events.headers().firstValue("content-type")).contains("text/event-stream");
    assertThat(post("/store.v1/count", "[1,0]").body()).isEmpty();
    assertThat(post("/store.v1/sum", "{\"what\":\"\",\"numbers\":[4,5,6]}").body())
        .isEqualTo("15\n");
    assertThat(post("/store.v1/sum", "[\"\",[]]").body()).isEqualTo("0\n");
  }

  @Test
  void aStreamThatFailsSaysSoAtItsEnd() throws Exception {
    start();
    HttpResponse<String> lines = post("/store.v1/broken", "");
    assertThat(lines.body()).startsWith("1\n2\n{\"error\":{\"status\":\"INTERNAL\"");
    HttpResponse<String> events = post("/store.v1/broken", "", "Accept", "text/event-stream");
    assertThat(events.body()).contains("data: 2\n\nevent: error\ndata: {\"status\":\"INTERNAL\"");
    String head = "POST /store.v1/broken HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    assertThat(raw(head)).endsWith("\r\n0\r\n\r\n").doesNotContain("trailer:");
    assertThat(raw(head.replace("Connection: close", "Connection: close, TE\r\nTE: trailers")))
        .contains("trailer: verbena-status")
        .endsWith("\r\n0\r\nverbena-status: INTERNAL\r\n\r\n");
    assertThat(raw(head.replace("1.1", "1.0")))
        .doesNotContain("chunked")
        .contains("\r\n\r\n1\n2\n{\"error\"");
    // A cut would have no last line.
    String count = "POST /store.v1/count HTTP/1.0\r\nContent-Length: 5\r\n\r\n[1,2]";
    assertThat(raw(count)).endsWith("\r\n\r\n1\n2\n{\"end\":[]}\n");
  }

  @Test
  void aSilentStreamGivesSignsOfLife() throws Exception {
    start(builder(), HttpSettings.DEFAULT.withStreamSilence(Duration.ofMillis(100)));
    for (String accept : List.of("application/x-ndjson", "text/event-stream")) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
        send(socket, "POST %s HTTP/1.1\r\nAccept: " + accept + "\r\n", "/store.v1/silent", "");
        BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        List<String> head = new ArrayList<>();
        for (String line = lines.readLine(); !line.isEmpty(); line = lines.readLine()) {
          head.add(line);
        }
        assertThat(head).contains("x-accel-buffering: no");
        boolean events = accept.startsWith("text");
        for (int i = 0; i < 3; i++) {
          assertThat(lines.readLine()).isEqualTo(events ? "3" : "1"); // the length of a chunk
          if (events) {
            assertThat(lines.readLine()).isEqualTo(":");
          }
          assertThat(lines.readLine()).isEmpty();
          assertThat(lines.readLine()).isEmpty(); // the end of the chunk
        }
      }
    }
  }

  @Test
  @Tag("long")
  void aStreamIsProducedAsItIsRead() throws Exception {
    start();
    HttpResponse<InputStream> answer =
        http.send(
            to("/store.v1/endless").POST(HttpRequest.BodyPublishers.ofString("[100000]")).build(),
            HttpResponse.BodyHandlers.ofInputStream());
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8))) {
      assertThat(lines.readLine()).hasSize(100_002);
      await().atMost(LONGEST).during(Duration.ofMillis(500)).until(() -> isStill());
      long ahead = store.produced.get();
      assertThat(ahead).isLessThan(500); // 50 MB, of which sockets have some
      for (int i = 0; i < ahead + 20; i++) {
        assertThat(lines.readLine()).hasSize(100_002);
      }
    }
    assertThat(store.streamEnded.await(20, TimeUnit.SECONDS)).isTrue();
  }

  private boolean isStill() throws InterruptedException {
    long before = store.produced.get();
    Thread.sleep(50);
    return store.produced.get() == before;
  }

  @Test
  void aClientThatDoesNotReadIsGivenUp() throws Exception {
    start(builder(), HttpSettings.DEFAULT.withIdleTime(Duration.ofSeconds(1)));
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
      String request =
          "POST /store.v1/endless HTTP/1.1\r\nHost: localhost\r\nContent-Length: 7\r\n\r\n[10000]";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      assertThat(store.streamEnded.await(20, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Tag("long")
  @ParameterizedTest
  @ValueSource(strings = {"/store.v1/bytes", "/store.v1/endless"})
  void aLongAnswerIsSentForAsLongAsItIsRead(String path) throws Exception {
    start(builder(), HttpSettings.DEFAULT.withIdleTime(Duration.ofSeconds(3)));
    int least = 6 << 20;
    try (Socket socket = new Socket()) {
      socket.setReceiveBufferSize(64 << 10);
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port()));
      send(socket, "POST %s HTTP/1.1\r\nConnection: close\r\n", path, "[" + least + "]");
      InputStream in = socket.getInputStream();
      long read = 0;
      while (read < least) { // 6 s: more than a client may be idle
        Thread.sleep(100);
        byte[] some = in.readNBytes(100 << 10);
        assertThat(some.length).as("after %d bytes", read).isEqualTo(100 << 10);
        read += some.length;
      }
    }
  }

  @Test
  void aStreamEndsWithAConnectionThatIsReset() throws Exception {
    start();
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
      send(socket, "POST %s HTTP/1.1\r\n", "/store.v1/endless", "[10000]");
      assertThat(socket.getInputStream().readNBytes(100_000)).hasSize(100_000);
      socket.setSoLinger(true, 0);
    }
    assertThat(store.streamEnded.await(20, TimeUnit.SECONDS)).isTrue();
  }

  private static void send(Socket socket, String head, String path, String body)
      throws IOException {
    String request =
        head.formatted(path)
            + "Host: localhost\r\nContent-Length: %d\r\n\r\n%s".formatted(body.length(), body);
    socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
  }

  // ---- hostile clients ----

  @Test
  @Tag("long")
  void answersThatNobodyReadsDoNotPileUp() throws Exception {
    start();
    int requests = 40;
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
      for (int i = 0; i < requests; i++) {
        send(socket, "POST %s HTTP/1.1\r\n", "/store.v1/bytes", "[300000]");
      }
      await().atMost(LONGEST).until(() -> store.produced.get() > 0);
      await().atMost(LONGEST).during(Duration.ofSeconds(1)).until(this::isStill);
      assertThat(store.produced.get()).isLessThan(20); // sockets have some
      long left = requests * 400_003L; // and their heads
      InputStream in = socket.getInputStream();
      while (left > 0) {
        left -= in.skip(left);
      }
    }
    await()
        .atMost(LONGEST)
        .untilAsserted(() -> assertThat(store.produced.get()).isEqualTo(requests));
  }

  @Test
  void requestsAheadOfTheirTurnAreNotKept() throws Exception {
    start();
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
      send(socket, "POST %s HTTP/1.1\r\n", "/store.v1/held", "");
      assertThat(store.began.await(10, TimeUnit.SECONDS)).isTrue();
      FutureTask<Integer> sending = new FutureTask<>(() -> sendAhead(socket, 32 << 20));
      Thread _ = Thread.startVirtualThread(sending);
      int sent = sending.get(20, TimeUnit.SECONDS); // more than sockets have: it has been read
      assertThat(sent).isGreaterThan(16 << 20);
      store.goOn.countDown();
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(answer).containsOnlyOnce("HTTP/1.1 ").contains("connection: close", "\r\n7\n");
    }
  }

  @Test
  void whoHasSentFarAheadIsSeenToGo() throws Exception {
    start();
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
      send(socket, "POST %s HTTP/1.1\r\n", "/store.v1/held", "");
      assertThat(store.began.await(10, TimeUnit.SECONDS)).isTrue();
      assertThat(sendAhead(socket, 1 << 20)).isPositive();
    }
    assertThat(store.cancelled.await(10, TimeUnit.SECONDS)).isTrue();
    await().untilAsserted(() -> assertThat(server.slotsInUse()).isZero());
  }

  private static int sendAhead(Socket socket, int least) throws IOException {
    String next =
        "POST /store.v1/get HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n";
    byte[] some = next.repeat(1000).getBytes(StandardCharsets.US_ASCII);
    int sent = 0;
    while (sent < least) {
      socket.getOutputStream().write(some);
      sent += some.length;
    }
    return sent;
  }

  @Test
  void allRequestsTogetherTakeBoundedMemory() throws Exception {
    start(
        builder(),
        HttpSettings.DEFAULT.withMaxRequestBytes(100_000).withRequestMemoryBytes(1 << 20));
    String large = "[" + " ".repeat(99_000) + "]";
    CompletableFuture<HttpResponse<String>> held =
        http.sendAsync(
            to("/store.v1/held").POST(HttpRequest.BodyPublishers.ofString(large)).build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(store.began.await(10, TimeUnit.SECONDS)).isTrue();
    assertFails(post("/store.v1/broken", large), 503, "RESOURCE_EXHAUSTED", "requestMemoryBytes");
    assertThat(post("/store.v1/get", "[\"a\"]").statusCode()).isEqualTo(200);
    store.goOn.countDown();
    assertThat(held.get().statusCode()).isEqualTo(200);
    await()
        .untilAsserted(
            () -> assertThat(post("/store.v1/broken", large).statusCode()).isEqualTo(200));
  }

  @Test
  void answersThatAreNotReadTakeBoundedMemory() throws Exception {
    start(
        builder(),
        HttpSettings.DEFAULT.withMaxRequestBytes(100_000).withRequestMemoryBytes(8 << 20));
    String much = "[2500000]";
    CompletableFuture<HttpResponse<String>> waiting;
    try (Socket stopped = new Socket()) {
      stopped.setReceiveBufferSize(4096);
      stopped.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port()));
      send(stopped, "POST %s HTTP/1.1\r\n", "/store.v1/bytes", much);
      assertThat(stopped.getInputStream().read()).isEqualTo('H');
      assertThat(store.produced.get()).isEqualTo(1);
      HttpResponse<String> late = post("/store.v1/bytes", much, "Verbena-Timeout", "300ms");
      assertFails(late, 503, "RESOURCE_EXHAUSTED", "requestMemoryBytes", "not executed");
      assertThat(store.produced.get()).isEqualTo(1);
      waiting =
          http.sendAsync(
              to("/store.v1/bytes").POST(HttpRequest.BodyPublishers.ofString(much)).build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(post("/store.v1/endless", "[4000000]").body())
          .startsWith("{\"error\":{\"status\":\"RESOURCE_EXHAUSTED\"");
      assertThat(post("/store.v1/get", "[\"a\"]").statusCode()).isEqualTo(200);
      assertThat(waiting).isNotDone();
    }
    assertThat(waiting.get(20, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
  }

  @Test
  void manyLongAnswersAtOnceAllCome() throws Exception {
    start(
        builder(),
        HttpSettings.DEFAULT.withMaxRequestBytes(100_000).withRequestMemoryBytes(8 << 20));
    assertThat(post("/store.v1/bytes", "[2000000]").statusCode()).isEqualTo(200);
    List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      all.add(
          http.sendAsync(
              to("/store.v1/bytes").POST(HttpRequest.BodyPublishers.ofString("[2000000]")).build(),
              HttpResponse.BodyHandlers.ofString()));
    }
    for (CompletableFuture<HttpResponse<String>> one : all) {
      assertThat(one.get(60, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
    }
    assertThat(store.produced.get()).isEqualTo(1 + all.size());
  }

  @Test
  void aGreedyConnectionLeavesOthersTheirPart() throws Exception {
    start(
        builder(),
        HttpSettings.DEFAULT.withMaxRequestBytes(100_000).withRequestMemoryBytes(1 << 20));
    String large = "[" + " ".repeat(90_000) + "\"a\"]";
    String within = "[" + " ".repeat(20_000) + "\"a\"]";
    try (Socket greedy = new Socket(InetAddress.getLoopbackAddress(), port())) {
      String head =
          "POST /store.v1/get HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n";
      String unfinished = head + " ".repeat(99_999);
      greedy.getOutputStream().write(unfinished.getBytes(StandardCharsets.US_ASCII));
      await()
          .untilAsserted(
              () ->
                  assertFails(
                      post("/store.v1/get", large),
                      503,
                      "RESOURCE_EXHAUSTED",
                      "this connection's part",
                      "requestMemoryBytes",
                      "try again later"));
      assertThat(post("/store.v1/get", within).body()).isEqualTo(VALUE_AS_JSON + "\n");
    }
    await()
        .untilAsserted(() -> assertThat(post("/store.v1/get", large).statusCode()).isEqualTo(200));
  }

  @Test
  void aBodyIsNeverTakenForARequest() throws Exception {
    start(builder(), HttpSettings.DEFAULT.withMaxRequestBytes(100));
    String within = "POST /store.v1/note HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(3);
    String head = "POST /store.v1/get HTTP/1.1\r\nHost: localhost\r\n";
    String length = "Content-Length: %d\r\n".formatted(within.length());
    assertThat(onlyAnswer(head + "Expect: 100-continue\r\n" + length, within)).contains(" 413 ");
    assertThat(onlyAnswer(head + "Expect: a-miracle\r\n" + length, within)).contains(" 417 ");
    assertThat(onlyAnswer(head + length, within)).contains(" 413 ");
    assertThat(onlyAnswer(head + "Origin: http://evil.example\r\n" + length, within))
        .contains(" 403 ");
    for (String coding : List.of("xchunked", "identity", "gzip, chunked")) {
      String told = head + "Transfer-Encoding: " + coding + "\r\n";
      assertThat(onlyAnswer(told, within)).contains(coding.contains(",") ? " 501 " : " 400 ");
      assertThat(onlyAnswer(told + length, within)).contains(" 400 ");
    }
    String chunked = "Transfer-Encoding: chunked\r\n";
    assertThat(onlyAnswer(head + chunked + length, "0\r\n\r\n" + within)).contains(" 400 ");
    assertThat(onlyAnswer(head.replace("1.1", "1.0") + chunked, "0\r\n\r\n" + within))
        .contains(" 400 ");
    assertThat(onlyAnswer(head + chunked, "x\r\n" + within)).contains(" 400 ");
    assertThat(onlyAnswer(head + "Content-Length: 1\r\n" + length, within)).contains(" 400 ");
    String old = head.replace("1.1", "1.0") + "Connection: keep-alive\r\nContent-Length: 0\r\n";
    assertThat(onlyAnswer(old + length, within)).contains("connection: close");
    assertThat(onlyAnswer(old, within)).contains("connection: close");
    assertThat(store.noted.getCount()).isOne();
  }

  private String onlyAnswer(String head, String body) throws IOException {
    String answers = raw(head + "\r\n" + body);
    assertThat(answers.split("HTTP/1.1 [1-5]", -1)).as(answers).hasSize(2);
    return answers;
  }

  private static String lines(String... lines) {
    return String.join("\r\n", lines) + "\r\n\r\n";
  }

  @Test
  void aChunkedBodyMayHaveTrailers() throws Exception {
    start();
    String head =
        lines("POST /store.v1/count HTTP/1.1", "Host: localhost", "Transfer-Encoding: chunked");
    String request = head + lines("2;a=b", "[1", "3", ",1]", "0", "Origin: x");
    String last = "GET /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    assertThat(raw(request + request + last)).containsSubsequence(" 200 ", " 200 ", " 404 ");
  }

  @Test
  void aBodyIsAskedForInItsTurn() throws Exception {
    start();
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
      send(socket, "POST %s HTTP/1.1\r\n", "/store.v1/held", "");
      String second =
          lines(
              "POST /store.v1/get HTTP/1.1",
              "Host: localhost",
              "Expect: 100-continue",
              "Connection: close",
              "Content-Length: 5");
      socket.getOutputStream().write(second.getBytes(StandardCharsets.US_ASCII));
      assertThat(store.began.await(10, TimeUnit.SECONDS)).isTrue();
      Thread.sleep(200);
      assertThat(socket.getInputStream().available()).isZero();
      store.goOn.countDown();
      String asked = "HTTP/1.1 100 Continue\r\n\r\n";
      StringBuilder first = new StringBuilder();
      while (!first.toString().endsWith(asked)) {
        first.append((char) socket.getInputStream().read());
      }
      assertThat(first).contains(" 200 ", "\r\n\r\n7\n" + asked);
      socket.getOutputStream().write("[\"a\"]".getBytes(StandardCharsets.US_ASCII));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(answer).startsWith("HTTP/1.1 200 ").contains(VALUE_AS_JSON);
    }
  }

  @Test
  void aHostThatIsNoneOfTheServersIsRefused() throws Exception {
    start(builder(), HttpSettings.DEFAULT.withHosts(Set.of("Store.example")));
    for (String own :
        List.of("localhost", "a.LOCALHOST:80", "127.0.0.1:1", "[::1]:7", "store.Example.:7400")) {
      assertThat(raw(page(own))).as(own).contains(" 200 ");
    }
    for (String foreign :
        List.of("evil.example", "127.0.0.1.evil.example", "localhost.evil.example:1")) {
      assertThat(raw(page(foreign))).as(foreign).contains(" 403 ", "withHosts");
    }
    for (String malformed : List.of("a@b", "", "localhost, localhost", "localhost:x")) {
      assertThat(raw(page(malformed))).as(malformed).contains(" 400 ");
    }
    assertThat(raw(lines("GET / HTTP/1.1", "Connection: close"))).contains(" 400 ");
    assertThat(raw("GET / HTTP/1.0\r\n\r\n")).contains(" 200 ");
  }

  @Test
  void hostsThatAreSetAreAskedForWithAnAuthenticatorToo() throws Exception {
    start(
        builder().authenticator(client -> "ali"),
        HttpSettings.DEFAULT.withHosts(Set.of("store.example")));
    assertThat(raw(page("store.example"))).contains(" 200 ");
    assertThat(raw(page("evil.example"))).contains(" 403 ");
  }

  @Test
  void thePathIsTakenApartAsItWasSent() throws Exception {
    start();
    String body = "Content-Length: 5\r\nConnection: close\r\n\r\n[\"a\"]";
    String host = "Host: localhost\r\n";
    for (String own :
        List.of(
            "/store.v1/get",
            "/store%2Ev1/%67et?x=/",
            "http://localhost/store.v1/get",
            "HTTPS://localhost:1/store.v1/get#x")) {
      assertThat(raw("POST " + own + " HTTP/1.1\r\n" + host + body)).as(own).contains(" 200 ");
    }
    for (String none : List.of("/store.v1%2Fget", "/x%2F..%2Fstore.v1/get", "//store.v1/get")) {
      assertThat(raw("POST " + none + " HTTP/1.1\r\n" + host + body)).as(none).contains(" 404 ");
    }
    for (String wrong :
        List.of("Xstore.v1/get", "store.v1/get", "*", "?/store.v1/get", "ftp://localhost/x")) {
      assertThat(raw("POST " + wrong + " HTTP/1.1\r\n" + host + body)).as(wrong).contains(" 400 ");
    }
    assertThat(raw("POST http://[::1] HTTP/1.1\r\n" + host + body)).contains(" 405 ", "allow: GET");
    String foreign = "POST http://evil.example/store.v1/get HTTP/1.1\r\n";
    assertThat(raw(foreign + host + body)).contains(" 403 ");
  }

  @Test
  void withAnAuthenticatorOrAStarAnyHostWillDo() throws Exception {
    start(builder(), HttpSettings.DEFAULT.withHosts(Set.of("*")));
    assertThat(raw(page("evil.example"))).contains(" 200 ");
    server.close();
    start(builder().authenticator(client -> "ali"), HttpSettings.DEFAULT);
    assertThat(raw(page("evil.example"))).contains(" 200 ");
  }

  private static String page(String host) {
    return "GET / HTTP/1.1\r\nConnection: close\r\nHost: " + host + "\r\n\r\n";
  }

  @ParameterizedTest
  @ValueSource(strings = {"Host: localhost", "Origin: http://localhost", "Authorization: Bearer x"})
  void aHeaderThatStandsTwiceIsRefused(String header) throws Exception {
    start();
    String twice = (header + "\r\n").repeat(2);
    assertThat(raw(page("localhost").replace("Host: localhost\r\n", twice + "Host: localhost\r\n")))
        .contains(header.startsWith("Auth") ? " 200 " : " 400 ");
    String document = page("localhost").replace("GET /", "GET /openapi.json");
    assertThat(raw(document.replace("Connection", twice + "Connection"))).contains(" 400 ");
  }

  @Test
  void whatCannotBeDecodedIsTheClientsMistake() throws Exception {
    start();
    String head = "POST %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
    assertThat(raw(head.formatted("/%zz/get") + "\r\n")).contains(" 400 ");
    String get = head.formatted("/store.v1/get");
    assertThat(raw(get + "Verbena-Metadata-Bin-A: %\r\n\r\n")).contains(" 400 ");
    assertThat(raw(get + "Verbena-Metadata-A: gr\u00fcn\r\n\r\n"))
        .contains(" 400 ", "verbena-metadata-bin-a");
    assertThat(raw(get + "Content-Length: 5\r\n\r\n[\"\u00ff\"]")).contains(" 400 ", "UTF-8");
    assertThat(raw(get + "Content-Length: x\r\n\r\n")).contains(" 400 ");
    assertFails(post("/store.v1/get", "[\"\\ud800\"]"), 400, "INVALID_ARGUMENT");
    assertFails(post("/store.v1/sum", "[\"\\ud800\",[1]]"), 400, "INVALID_ARGUMENT");
    assertFails(post("/store.v1/count", "[1,1e99999999999]"), 400, "INVALID_ARGUMENT", "range");
    assertFails(post("/store.v1/get", "[".repeat(100_000)), 400, "INVALID_ARGUMENT");
    assertFails(post("/store.v1/get", "{\"a\":".repeat(100_000)), 400, "INVALID_ARGUMENT");
  }

  @Test
  void namesOfMembersAreForgottenWithTheirRequest() {
    WeakReference<String> name = nameIn("{\"" + "x".repeat(50_000) + "\":1}");
    await()
        .untilAsserted(
            () -> {
              System.gc();
              assertThat(name.get()).isNull();
            });
  }

  private static WeakReference<String> nameIn(String json) {
    return new WeakReference<>(Json.parse(json).fieldNames().next());
  }

  @Test
  void whoMayNotCallSendsNoBody() throws Exception {
    start(
        builder()
            .authenticator(
                client -> {
                  throw new AuthenticationException("nobody may");
                }),
        HttpSettings.DEFAULT);
    String head =
        "POST /store.v1/get HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n";
    assertThat(raw(head)).contains(" 401 ", "connection: close"); // and none was sent
  }

  @Test
  void thereAreNoMoreConnectionsThanSessions() throws Exception {
    start(builder().maxSessions(2), HttpSettings.DEFAULT);
    try (Socket one = new Socket(InetAddress.getLoopbackAddress(), port())) {
      beginAnAnswer(one);
      try (Socket two = new Socket(InetAddress.getLoopbackAddress(), port())) {
        beginAnAnswer(two);
        assertThat(raw(page("localhost"))).contains(" 503 ", "maxSessions");
      }
      await().untilAsserted(() -> assertThat(raw(page("localhost"))).contains(" 200 "));
    }
  }

  /** Its loop has counted it then; another's may be behind. */
  private static void beginAnAnswer(Socket socket) throws IOException {
    send(socket, "POST %s HTTP/1.1\r\n", "/store.v1/count", "[1,2]");
    assertThat(socket.getInputStream().read()).isEqualTo('H');
  }

  @Test
  @Tag("long")
  void aClientThatStaysAfterItsLastAnswerIsNotLogged() throws Exception {
    start();
    Logger netty = (Logger) LoggerFactory.getLogger("io.netty");
    ListAppender<ILoggingEvent> told = new ListAppender<>();
    told.start();
    netty.addAppender(told);
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
      socket.getOutputStream().write(page("localhost").getBytes(StandardCharsets.US_ASCII));
      assertThat(socket.getInputStream().readAllBytes()).isNotEmpty();
      Thread.sleep(6000); // longer than the server waits for it
    } finally {
      netty.detachAppender(told);
    }
    assertThat(told.list).noneMatch(event -> event.getLevel().isGreaterOrEqual(Level.WARN));
  }

  @Test
  void onlyTheHeadIsSentWhereItIsAskedFor() throws Exception {
    start();
    String head = "HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    String answers = raw(head + page("localhost"));
    assertThat(answers).containsOnlyOnce("<html").containsSubsequence(" 200 ", " 200 ", "<html");
  }

  // ---- connections ----

  @Test
  void requestsOfOneConnectionAreAnsweredInOrder() throws Exception {
    start();
    StringBuilder requests = new StringBuilder();
    for (int i = 1; i <= 40; i++) {
      requests.append(
          "POST /store.v1/count HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n[%d,%d]"
              .formatted(3 + 2 * String.valueOf(i).length(), i, i));
    }
    requests.append("POST /store.v1/get HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    String answers = raw(requests.toString());
    int at = 0;
    for (int i = 1; i <= 40; i++) {
      int next = answers.indexOf("\r\n" + i + "\n", at);
      assertThat(next).as("answer %d", i).isGreaterThan(at);
      at = next;
    }
    assertThat(answers.substring(at)).contains(" 400 ", "connection: close", "key: is missing");
  }

  @Test
  void aCallIsCancelledWhenItsClientGoes() throws Exception {
    start();
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
      String request =
          "POST /store.v1/held HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      assertThat(store.began.await(10, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(store.cancelled.await(10, TimeUnit.SECONDS)).isTrue();
    await().untilAsserted(() -> assertThat(server.slotsInUse()).isZero());
  }

  @Test
  void aServerThatDrainsAnswersWhatRuns() throws Exception {
    start();
    CompletableFuture<HttpResponse<String>> held =
        http.sendAsync(
            to("/store.v1/held").POST(HttpRequest.BodyPublishers.noBody()).build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(store.began.await(10, TimeUnit.SECONDS)).isTrue();
    CompletableFuture<Void> drained = server.drain().toCompletableFuture();
    await()
        .untilAsserted(
            () ->
                assertFails(post("/store.v1/get", "[\"a\"]"), 503, "UNAVAILABLE", "shutting down"));
    store.goOn.countDown();
    assertThat(held.get().body()).isEqualTo("7\n");
    drained.get(10, TimeUnit.SECONDS);
    server.close();
    assertThat(server.slotsInUse()).isZero();
  }

  @Test
  void whatHasNotEndedWhenAServerHasDrainedIsToldSo() throws Exception {
    start(builder().drainTime(Duration.ofMillis(100)), HttpSettings.DEFAULT);
    CompletableFuture<HttpResponse<String>> held =
        http.sendAsync(
            to("/store.v1/held").POST(HttpRequest.BodyPublishers.noBody()).build(),
            HttpResponse.BodyHandlers.ofString());
    HttpResponse<Stream<String>> endless =
        http.send(
            to("/store.v1/endless").POST(HttpRequest.BodyPublishers.ofString("[1000]")).build(),
            HttpResponse.BodyHandlers.ofLines());
    assertThat(store.began.await(10, TimeUnit.SECONDS)).isTrue();
    Thread closes = Thread.startVirtualThread(server::close);
    assertThat(endless.body().reduce((_, last) -> last).orElseThrow())
        .startsWith("{\"error\":{\"status\":\"UNAVAILABLE\"");
    assertFails(held.get(10, TimeUnit.SECONDS), 503, "UNAVAILABLE");
    closes.join();
  }

  // ---- who may call ----

  @Test
  void tokensAreAskedForByTheAuthenticatorOfSessions() throws Exception {
    start(
        builder()
            .authenticator(
                client -> {
                  if (!client.token().equals("open-sesame")) {
                    throw new AuthenticationException("that is no password");
                  }
                  return "ali at " + client.address().replaceAll("\\d+$", "…");
                }),
        HttpSettings.DEFAULT);
    HttpResponse<String> refused = post("/store.v1/get", "[\"a\"]");
    assertFails(refused, 401, "UNAUTHENTICATED", "that is no password");
    assertThat(refused.headers().firstValue("www-authenticate")).contains("Bearer");
    assertFails(
        post("/store.v1/get", "[\"a\"]", "Authorization", "Basic eDp5"), 401, "UNAUTHENTICATED");
    String[] token = {"Authorization", "Bearer open-sesame"};
    assertThat(post("/store.v1/who", "[\"x\"]", token).body())
        .startsWith("\"ali at tcp://127.0.0.1:… from tcp://127.0.0.1:");
    HttpResponse<String> unknown = post("/store.v1/gett", "[]", token);
    assertFails(unknown, 404, "UNIMPLEMENTED", "no method 'gett'");
    assertThat(unknown.body()).doesNotContain("there is");
    assertFails(get("/openapi.json"), 401, "UNAUTHENTICATED");
    HttpRequest document = to("/openapi.json").headers(token).build();
    assertFails(
        http.send(document, HttpResponse.BodyHandlers.ofString()),
        403,
        "PERMISSION_DENIED",
        "tellContracts");
  }

  @Test
  void certificatesAreSeenByTheAuthenticatorOfSessions() throws Exception {
    TestIdentity serves = TestIdentity.create("CN=server", "dns:localhost", "ip:127.0.0.1");
    TestIdentity calls = TestIdentity.create("CN=caller");
    start(builder().tls(TlsOptions.mutual(serves.trusting(calls))), HttpSettings.DEFAULT);
    URI uri = URI.create("https://127.0.0.1:" + port() + "/store.v1/who");
    HttpRequest request =
        HttpRequest.newBuilder(uri).POST(HttpRequest.BodyPublishers.ofString("[\"x\"]")).build();
    try (HttpClient with = HttpClient.newBuilder().sslContext(calls.trusting(serves)).build()) {
      assertThat(with.send(request, HttpResponse.BodyHandlers.ofString()).body())
          .startsWith("\"CN=caller from tcp://127.0.0.1:");
      for (String scheme : List.of("http", "https")) {
        HttpRequest page =
            HttpRequest.newBuilder(request, (name, value) -> true)
                .header("Origin", scheme + "://127.0.0.1:" + port())
                .build();
        assertThat(with.send(page, HttpResponse.BodyHandlers.ofString()).statusCode())
            .as(scheme)
            .isEqualTo(scheme.equals("https") ? 200 : 403);
      }
    }
    try (HttpClient without =
            HttpClient.newBuilder().sslContext(TestIdentity.nobodyTrusting(serves)).build();
        VerbenaClient client =
            VerbenaClient.builder().tls(TlsOptions.client(calls.trusting(serves))).build();
        Session session = client.connect(server.address().toString())) {
      assertThat(StoreRpc.client(session).get("a").version()).isEqualTo(3);
      assertThat(without.sendAsync(request, HttpResponse.BodyHandlers.ofString()))
          .failsWithin(Duration.ofSeconds(20))
          .withThrowableOfType(ExecutionException.class)
          .withCauseInstanceOf(IOException.class);
    }
  }

  @Test
  void anHttpClientCountsAsASession() throws Exception {
    start(builder().maxSessions(1), HttpSettings.DEFAULT);
    try (VerbenaClient client = VerbenaClient.builder().build();
        Session session = client.connect(server.address().toString())) {
      assertThat(StoreRpc.client(session).get("a").version()).isEqualTo(3);
      assertFails(post("/store.v1/get", "[\"a\"]"), 503, "UNAVAILABLE", "maxSessions");
    }
    await()
        .untilAsserted(
            () -> assertThat(post("/store.v1/get", "[\"a\"]").statusCode()).isEqualTo(200));
  }

  // ---- in front of the server ----

  @Test
  void healthIsWhatTheBoardSaysUntilTheServerDrains() throws Exception {
    AtomicBoolean serving = new AtomicBoolean(true);
    start(
        builder()
            .authenticator(
                client -> {
                  throw new AuthenticationException("nobody may");
                }),
        HttpSettings.DEFAULT.withHealth(serving::get).withHosts(Set.of("store.example")));
    assertThat(get("/healthz").statusCode()).isEqualTo(200);
    assertThat(raw(page("10.0.0.7:1").replace("GET / ", "HEAD /healthz "))).contains(" 200 ");
    serving.set(false);
    HttpResponse<String> not = get("/healthz");
    assertThat(not.statusCode()).isEqualTo(503);
    assertThat(not.body()).isEqualTo("{\"status\":\"NOT_SERVING\"}\n");
    serving.set(true);
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
      OutputStream out = socket.getOutputStream();
      out.write("GET /healthz".getBytes(StandardCharsets.US_ASCII)); // drain leaves it open
      CompletableFuture<Void> _ = server.drain().toCompletableFuture();
      out.write(" HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      byte[] start = socket.getInputStream().readNBytes(12);
      assertThat(new String(start, StandardCharsets.US_ASCII)).isIn("HTTP/1.1 503", "");
    }
  }

  @Test
  void pagesOfAllowedOriginsMayCall() throws Exception {
    start(builder(), HttpSettings.DEFAULT.withOrigins(Set.of("https://shop.example")));
    String[] from = {"Origin", "https://shop.example"};
    HttpRequest asks =
        to("/store.v1/who")
            .method("OPTIONS", HttpRequest.BodyPublishers.noBody())
            .headers(from)
            .header("Access-Control-Request-Method", "POST")
            .header("Access-Control-Request-Headers", "authorization,content-type")
            .build();
    HttpResponse<String> may = http.send(asks, HttpResponse.BodyHandlers.ofString());
    assertThat(may.statusCode()).isEqualTo(204);
    assertThat(may.headers().firstValue("access-control-allow-origin"))
        .contains("https://shop.example");
    assertThat(may.headers().firstValue("access-control-allow-methods").orElseThrow())
        .contains("POST");
    assertThat(may.headers().firstValue("access-control-allow-headers"))
        .contains("authorization,content-type");
    HttpResponse<String> answer = post("/store.v1/who", "[\"x\"]", from);
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("access-control-allow-origin"))
        .contains("https://shop.example");
    assertThat(answer.headers().firstValue("access-control-expose-headers").orElseThrow())
        .contains("verbena-status", "verbena-metadata-served-by");
    assertThat(answer.headers().firstValue("vary")).contains("origin");
    HttpResponse<String> failed = post("/store.v1/get", "[\"z\"]", from);
    assertFails(failed, 422, "DECLARED");
    assertThat(failed.headers().firstValue("access-control-allow-origin")).isPresent();
    assertFails(
        post("/store.v1/get", "[\"a\"]", "Origin", "https://shop.example.evil"),
        403,
        "PERMISSION_DENIED",
        "withOrigins");
    assertThat(get("/").headers().firstValue("access-control-allow-origin")).isEmpty();
  }

  @Test
  void thePageOfTheServerItselfMayCallWhateverAProxyDoesToItsHost() throws Exception {
    start();
    String[][] ways = {
      {"Sec-Fetch-Site", "same-origin"},
      {"X-Forwarded-Host", "shop.example:8443"},
    };
    for (String[] way : ways) {
      assertThat(
              post(
                      "/store.v1/get",
                      "[\"a\"]",
                      "Origin",
                      "https://shop.example:8443",
                      way[0],
                      way[1])
                  .statusCode())
          .as(way[0])
          .isEqualTo(200);
    }
    assertThat(
            post(
                    "/store.v1/get",
                    "[\"a\"]",
                    "Origin",
                    "https://shop.example",
                    "Sec-Fetch-Site",
                    "cross-site")
                .statusCode())
        .isEqualTo(403);
  }

  @Test
  void theDocumentNamesThePrefixThatAProxyRemoves() throws Exception {
    start();
    assertThat(get("/openapi.json").body()).contains("\"servers\":[{\"url\":\"/\"}]");
    HttpRequest below = to("/openapi.json").header("X-Forwarded-Prefix", "/api/").build();
    assertThat(http.send(below, HttpResponse.BodyHandlers.ofString()).body())
        .contains("\"servers\":[{\"url\":\"/api\"}]");
    HttpRequest wrong = to("/openapi.json").header("X-Forwarded-Prefix", "//evil/").build();
    assertThat(http.send(wrong, HttpResponse.BodyHandlers.ofString()).statusCode()).isEqualTo(400);
  }

  private static final byte[] PROXY_2 = {
    '\r',
    '\n',
    '\r',
    '\n',
    0,
    '\r',
    '\n',
    'Q',
    'U',
    'I',
    'T',
    '\n',
    0x21,
    0x11,
    0,
    12,
    10,
    0,
    0,
    7,
    10,
    0,
    0,
    1,
    (byte) (40112 >> 8),
    (byte) 40112,
    0,
    80
  };

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aLoadBalancerTellsForWhomItConnects(int version) throws Exception {
    String header =
        version == 1
            ? "PROXY TCP4 10.0.0.7 10.0.0.1 40112 80\r\n"
            : new String(PROXY_2, StandardCharsets.ISO_8859_1);
    String call =
        "POST /store.v1/who HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 5\r\n\r\n[\"x\"]";
    start(builder(), HttpSettings.DEFAULT.withProxyProtocol());
    assertThat(raw(header + call)).contains(" 200 ", "from tcp://10.0.0.7:40112 by");
    assertThat(raw(call)).contains(" 200 ", "from tcp://127.0.0.1:"); // a probe, without one
    assertThat(raw("PROXY what is this\r\n" + call)).isEmpty(); // the decoder closes it
    server.close();
    ListAppender<ILoggingEvent> told = new ListAppender<>();
    told.start();
    Logger logger = (Logger) LoggerFactory.getLogger("io.verbena");
    logger.addAppender(told);
    try {
      start();
      assertThat(raw(header + call)).contains(" 400 ", "withProxyProtocol");
      assertThat(raw(call)).contains(" 200 ");
    } finally {
      logger.detachAppender(told);
    }
    if (version == 1) { // later ones are counted, and not told
      assertThat(told.list)
          .filteredOn(event -> event.getFormattedMessage().contains("PROXY protocol"))
          .hasSize(1);
    }
  }

  @Test
  void unknownNamesAreAnsweredWithAllNamesOrTheirNumber() throws Exception {
    start();
    assertThat(post("/store.v1/gett", "{}").body())
        .contains("there is get,", "more, which GET /openapi.json lists");
    assertThat(post("/stor.v1/get", "{}").body())
        .contains("there is store.v1\"")
        .doesNotContain("more");
  }

  // ---- set-up ----

  @Test
  void aGatewayServesOneServerAtATcpPort() {
    HttpGateway gateway = new HttpGateway();
    server = builder().gateway(gateway).start();
    assertThatIllegalStateException()
        .isThrownBy(() -> builder().gateway(gateway).start())
        .withMessageContaining("one server");
  }

  @Test
  void aGatewayEndsWithAServerThatDoesNotStart() {
    start();
    List<String> heard = new ArrayList<>();
    Gateway gateway =
        new Gateway() {
          @Override
          public PortProtocol start(LocalSessions sessions) {
            heard.add("start");
            return new PortProtocol() {};
          }

          @Override
          public void drain() {
            heard.add("drain");
          }

          @Override
          public void close() {
            heard.add("close");
          }
        };
    assertThatIllegalStateException()
        .isThrownBy(() -> builder().listen("127.0.0.1:" + port()).gateway(gateway).start());
    assertThat(heard).containsExactly("start", "close");
  }

  @Test
  void thePageAndTheDocumentCanBeLeftOut() throws Exception {
    start(builder(), HttpSettings.DEFAULT.withoutPage());
    assertThat(get("/").statusCode()).isEqualTo(404);
    assertThat(get("/openapi.json").statusCode()).isEqualTo(404);
  }
}
