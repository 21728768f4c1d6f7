package io.verbena.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A program of this class path in a JVM of its own, on this host. It is to end when its input does,
 * and so with this process. For one thread.
 */
public final class JvmProcess implements AutoCloseable {
  private static final int SECONDS_TO_END = 10;

  private final Process process;
  private final BufferedReader output;

  private JvmProcess(Process process) {
    this.process = process;
    this.output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /**
   * Returns the command that runs a class's main method with this process's own JVM and classes.
   *
   * @param flags for its JVM, such as {@code -Xmx256m}
   */
  public static List<String> command(List<String> flags, Class<?> program, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    String classes = System.getProperty("java.class.path");
    if (classes.endsWith(".jar") && !classes.contains(System.getProperty("path.separator"))) {
      command.addAll(List.of("-jar", classes));
    } else {
      // Only 'java -jar' heeds what the jar's manifest says about native access.
      command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp", classes));
      command.add(program.getName());
    }
    command.addAll(List.of(arguments));
    return command;
  }

  /** Starts a command, with more in its environment. */
  public static JvmProcess start(List<String> command, Map<String, String> environment)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().putAll(environment);
    return new JvmProcess(builder.start());
  }

  /** Returns the number that the system knows it by. */
  public long pid() {
    return process.pid();
  }

  /**
   * Returns the next line that it prints.
   *
   * @throws IOException if it ended before
   */
  public String line() throws IOException {
    String line = output.readLine();
    if (line == null) {
      throw new IOException("the other process ended early; what it said stands above");
    }
    return line;
  }

  /** Returns all that it prints from now on, when it has ended. */
  public List<String> lines() throws IOException {
    return output.readAllLines();
  }

  /** Ends it, by force if it takes longer than 10 s, and waits until it is gone. */
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
    } finally {
      output.close();
    }
  }
}
