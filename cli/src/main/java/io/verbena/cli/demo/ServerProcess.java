package io.verbena.cli.demo;

import io.verbena.cli.Main;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The server's process, from start to end. */
final class ServerProcess implements AutoCloseable {
  private static final int SECONDS_TO_END = 10;
  private static final String NATIVE_ACCESS = "--enable-native-access=ALL-UNNAMED";

  private final Process process;
  private final String address;

  private ServerProcess(Process process, String address) {
    this.process = process;
    this.address = address;
  }

  /** Starts the server with this process's own JVM and classes; returns when it listens. */
  static ServerProcess start() throws IOException {
    Process process =
        new ProcessBuilder(command()).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    BufferedReader output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    String address = output.readLine();
    if (address == null) {
      process.destroyForcibly();
      throw new IOException("the server's process ended before it listened; see its message above");
    }
    return new ServerProcess(process, address);
  }

  private static List<String> command() {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String classes = System.getProperty("java.class.path");
    // Only 'java -jar' heeds what the jar's manifest says about native access, hence the flag.
    boolean jar =
        classes.endsWith(".jar") && !classes.contains(System.getProperty("path.separator"));
    return jar
        ? List.of(java, "-jar", classes, "demo-server")
        : List.of(java, NATIVE_ACCESS, "-cp", classes, Main.class.getName(), "demo-server");
  }

  /** Returns where it listens. */
  String address() {
    return address;
  }

  long pid() {
    return process.pid();
  }

  /** Ends the server and waits until it is gone. */
  @Override
  public void close() throws IOException {
    process.getOutputStream().close();
    try {
      if (!process.waitFor(SECONDS_TO_END, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
