package io.verbena.samples.services;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One of the sample's programs in a JVM of its own. What it logs goes to a file. */
final class Program implements AutoCloseable {
  private static final Pattern METRICS = Pattern.compile("metrics at (http://[^ ;]+)");

  private final Process process;
  private final BufferedReader output;
  private final Path log;
  private URI metrics = URI.create("http:/");

  private Program(Process process, Path log) {
    this.process = process;
    this.log = log;
    this.output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  static Program start(Path log, Class<?> program, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"));
    command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp"));
    command.addAll(List.of(System.getProperty("java.class.path"), program.getName()));
    command.addAll(List.of(arguments));
    File errors = log.toFile();
    return new Program(new ProcessBuilder(command).redirectError(errors).start(), log);
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
    String line = output.readLine();
    if (line == null) {
      throw new IOException("it has ended: " + log());
    }
    return line;
  }

  void pressEnter() throws IOException {
    try (OutputStream keys = process.getOutputStream()) {
      keys.write('\n');
    }
  }

  /** Asks it to end, by SIGTERM. */
  void terminate() {
    process.toHandle().destroy();
  }

  int awaitEnd() throws InterruptedException {
    if (!process.waitFor(30, TimeUnit.SECONDS)) {
      throw new AssertionError("it has not ended within 30 s");
    }
    return process.exitValue();
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
    process.destroyForcibly().onExit().join();
  }
}
