package io.verbena.shm;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Another process of this host, as a test sees it. Killed when it is closed. */
final class PeerProcess implements AutoCloseable {
  private final Process process;
  private final BufferedReader out;

  private PeerProcess(Process process) {
    this.process = process;
    this.out = process.inputReader();
  }

  /** Starts an {@link EchoProcess}. */
  static PeerProcess start(Path base, String how) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            EchoProcess.class.getName(),
            base.toString(),
            how);
    builder.redirectError(ProcessBuilder.Redirect.INHERIT);
    return new PeerProcess(builder.start());
  }

  /** Returns the next line that it prints. */
  String line() throws IOException {
    String line = out.readLine();
    if (line == null) {
      throw new AssertionError("the peer's process printed nothing more");
    }
    return line;
  }

  /** Sends it a signal, such as "STOP". */
  void signal(String name) throws IOException, InterruptedException {
    List<String> kill = List.of("kill", "-" + name, String.valueOf(process.pid()));
    if (new ProcessBuilder(kill).inheritIO().start().waitFor() != 0) {
      throw new AssertionError("the peer's process takes no signal");
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor(1, TimeUnit.MINUTES);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
