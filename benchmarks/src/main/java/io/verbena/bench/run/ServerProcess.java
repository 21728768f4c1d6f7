package io.verbena.bench.run;

import io.verbena.bench.Main;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A server in a second JVM on this host, from its start to its end. */
public final class ServerProcess implements AutoCloseable {
  private static final int SECONDS_TO_END = 10;

  /** In the laboratory, where each JVM is on one processor: not on the client's, which has 0. */
  private static final String LABORATORY_CPU = "LAB_CPU";

  private static final String SERVER_CPU = "1";
  private static final String LISTENS = "listening at ";

  private final Process process;
  private final String address;

  private ServerProcess(Process process, String address) {
    this.process = process;
    this.address = address;
  }

  /** Starts {@code bench server} with these options; returns when it listens. */
  public static ServerProcess start(List<String> options) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command(options)).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().put(LABORATORY_CPU, SERVER_CPU);
    Process process = builder.start();
    BufferedReader output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    String line = output.readLine();
    if (line == null || !line.startsWith(LISTENS)) {
      process.destroyForcibly();
      throw new IOException("the server's process ended before it listened; it said: " + line);
    }
    return new ServerProcess(process, line.substring(LISTENS.length()).strip());
  }

  private static List<String> command(List<String> options) {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    List<String> command = new ArrayList<>(List.of(java));
    String classes = System.getProperty("java.class.path");
    if (classes.endsWith(".jar") && !classes.contains(System.getProperty("path.separator"))) {
      command.addAll(List.of("-jar", classes));
    } else {
      // Only 'java -jar' heeds what the jar's manifest says about native access.
      command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp", classes));
      command.add(Main.class.getName());
    }
    command.add("server");
    command.add("--until-input-ends");
    command.addAll(options);
    return command;
  }

  /** Returns where it listens, as {@code host:port}. */
  public String address() {
    return address;
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
