package io.verbena.samples.services;

import io.verbena.testkit.JavaProcess;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One of the sample's programs in a JVM of its own. What it logs goes to a file. */
final class Program implements AutoCloseable {
  private static final Pattern METRICS = Pattern.compile("metrics at (http://[^ ;]+)");

  private final JavaProcess process;
  private final Path log;
  private URI metrics = URI.create("http:/");

  private Program(JavaProcess process, Path log) {
    this.process = process;
    this.log = log;
  }

  static Program start(Path log, Class<?> program, String... arguments) throws IOException {
    JavaProcess.Builder java = JavaProcess.of(program, arguments);
    java.options("-Xshare:auto", "--enable-native-access=ALL-UNNAMED").errorsTo(log);
    return new Program(java.start(), log);
  }

  /** Waits until it says where its metrics are, which it does when all else is there. */
  Program awaitStart() throws IOException {
    String line = line();
    Matcher found = METRICS.matcher(line);
    if (!found.find()) {
      throw new IOException("it says '" + line + "'");
    }
    metrics = URI.create(found.group(1));
    return this;
  }

  String line() throws IOException {
    try {
      return process.line();
    } catch (IOException e) {
      throw new IOException(log(), e);
    }
  }

  void pressEnter() throws IOException {
    try (OutputStream keys = process.process().getOutputStream()) {
      keys.write('\n');
    }
  }

  /** Asks it to end, by SIGTERM. */
  void terminate() {
    process.terminate();
  }

  int awaitEnd() throws InterruptedException {
    return process.end(Duration.ofSeconds(30)).status();
  }

  String log() throws IOException {
    return Files.readString(log);
  }

  String metrics() throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest request = HttpRequest.newBuilder(metrics).build();
      return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }
  }

  /** Returns the sum of a metric over all samples whose line has this text. */
  double metric(String name, String label) throws IOException, InterruptedException {
    return metrics()
        .lines()
        .filter(line -> line.startsWith(name + "{") && line.contains(label))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }

  @Override
  public void close() {
    process.close();
  }
}
