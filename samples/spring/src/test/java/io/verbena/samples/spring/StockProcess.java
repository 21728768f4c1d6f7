package io.verbena.samples.spring;

import io.verbena.samples.spring.stock.StockApplication;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The stock in a process of its own, at any port. */
final class StockProcess implements AutoCloseable {
  private static final Pattern SERVES = Pattern.compile("Verbena serves stock.v1 at tcp://(\\S+)");

  private final Process process;
  private final Thread reader;
  private final Queue<String> said = new ConcurrentLinkedQueue<>();
  private final CompletableFuture<String> address = new CompletableFuture<>();

  private StockProcess(Process process) {
    this.process = process;
    // A virtual thread that reads from a process keeps its carrier, and there may be two for all.
    this.reader = Thread.ofPlatform().daemon().start(this::read);
  }

  static StockProcess start() throws IOException {
    return new StockProcess(
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                StockApplication.class.getName(),
                "--verbena.server.listen=127.0.0.1:0")
            .redirectErrorStream(true)
            .start());
  }

  private void read() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        said.add(line);
        Matcher serves = SERVES.matcher(line);
        if (serves.find()) {
          address.complete(serves.group(1));
        }
      }
      address.completeExceptionally(new IllegalStateException("it ended: " + said()));
    } catch (IOException e) {
      address.completeExceptionally(e);
    }
  }

  /** Waits until it serves. */
  String address() throws Exception {
    return address.get(60, TimeUnit.SECONDS);
  }

  /** Asks it to end, by SIGTERM, and waits until it has. */
  int end() throws InterruptedException {
    process.toHandle().destroy(); // Process.destroy would close what it says, too
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      throw new IllegalStateException("it goes on: " + said());
    }
    reader.join();
    return process.exitValue();
  }

  String said() {
    return String.join("\n", said);
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
