package io.verbena.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.verbena.codec.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Chromium without a window, told what to do by its DevTools' protocol. */
final class Browser implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final HttpClient http = HttpClient.newHttpClient();
  private final BlockingQueue<JsonNode> answers = new ArrayBlockingQueue<>(100);
  private final Process process;
  private final WebSocket socket;
  private int last;

  /** Opens a page. */
  Browser(Path program, Path profile, String url) throws Exception {
    process =
        new ProcessBuilder(
                program.toString(),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--user-data-dir=" + profile,
                "--remote-debugging-port=0",
                url)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      String page = page(listensAt());
      socket =
          http.newWebSocketBuilder()
              .buildAsync(URI.create(page), new Answers())
              .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      awaitPage(url);
    } catch (Exception e) {
      process.destroyForcibly();
      throw e;
    }
  }

  /** Returns where Chromium is; empty where it is not. */
  static Optional<Path> program() {
    return Stream.of(System.getenv("PATH").split(":"))
        .flatMap(at -> Stream.of(Path.of(at, "chromium"), Path.of(at, "google-chrome")))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private String listensAt() throws IOException {
    BufferedReader said = process.errorReader();
    String line;
    while ((line = said.readLine()) != null) {
      if (line.contains("DevTools listening on ")) {
        // A virtual thread that reads from a process keeps its carrier.
        Thread.ofPlatform().daemon().start(() -> said.lines().forEach(any -> {}));
        return URI.create(line.substring(line.indexOf("ws://"))).getAuthority();
      }
    }
    throw new IOException("Chromium has ended");
  }

  private String page(String authority) throws Exception {
    HttpRequest list = HttpRequest.newBuilder(URI.create("http://" + authority + "/json")).build();
    for (int tries = 0; tries < 100; tries++) {
      String all = http.send(list, HttpResponse.BodyHandlers.ofString()).body();
      for (JsonNode one : Json.parse(all)) {
        if (one.path("type").asText().equals("page")) {
          return one.path("webSocketDebuggerUrl").asText();
        }
      }
      Thread.sleep(100);
    }
    throw new IOException("Chromium has no page");
  }

  /** The window has another page at first, whose scripts end with it. */
  private void awaitPage(String url) throws Exception {
    for (int tries = 0; tries < 100; tries++) {
      try {
        if (evaluate("location.href + document.readyState").asText().equals(url + "complete")) {
          return;
        }
      } catch (IOException e) {
        // it was replaced meanwhile
      }
      Thread.sleep(100);
    }
    throw new IOException("Chromium does not show " + url);
  }

  /** Returns what an expression of JavaScript is in the page, once its promise is kept. */
  JsonNode evaluate(String expression) throws Exception {
    ObjectNode command = JsonNodeFactory.instance.objectNode();
    command.put("id", ++last).put("method", "Runtime.evaluate");
    command
        .putObject("params")
        .put("expression", expression)
        .put("awaitPromise", true)
        .put("returnByValue", true);
    socket.sendText(Json.line(command), true).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    while (true) {
      JsonNode answer = answers.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      if (answer == null) {
        throw new IOException("Chromium does not answer");
      }
      if (answer.path("id").asInt() == last) {
        if (answer.has("error") || answer.path("result").has("exceptionDetails")) {
          throw new IOException(answer.toString());
        }
        return answer.path("result").path("result").path("value");
      }
    }
  }

  @Override
  public void close() {
    socket.abort();
    // Its children write to the profile, too.
    List<ProcessHandle> all =
        Stream.concat(process.descendants(), Stream.of(process.toHandle())).toList();
    all.forEach(ProcessHandle::destroyForcibly);
    all.forEach(one -> one.onExit().orTimeout(10, TimeUnit.SECONDS).join());
    http.shutdownNow();
  }

  private final class Answers implements WebSocket.Listener {
    private final StringBuilder parts = new StringBuilder();

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence part, boolean isLast) {
      parts.append(part);
      if (isLast) {
        answers.add(Json.parse(parts.toString()));
        parts.setLength(0);
      }
      from.request(1);
      return null;
    }
  }
}
