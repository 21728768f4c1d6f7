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
 * A program of this class path that runs in its own JVM on this host. The program must end when its
 * standard input ends, so that it also ends with this process. For use by one thread.
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
   * Returns the command that runs a main class on the JVM and the class path of this process.
   *
   * @param flags the flags of the JVM, such as {@code -Xmx256m}
   */
  public static List<String> command(List<String> flags, Class<?> program, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    String classes = System.getProperty("java.class.path");
    if (classes.endsWith(".jar") && !classes.contains(System.getProperty("path.separator"))) {
      command.addAll(List.of("-jar", classes));
    } else {
      // Only 'java -jar' reads the jar's manifest, which enables native access.
      command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp", classes));
      command.add(program.getName());
    }
    command.addAll(List.of(arguments));
    return command;
  }

  /** Starts a command with further environment variables. */
  public static JvmProcess start(List<String> command, Map<String, String> environment)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().putAll(environment);
    return new JvmProcess(builder.start());
  }

  public long pid() {
    return process.pid();
  }

  /**
   * Returns the next line of the program's output.
   *
   * @throws IOException if the program ended before it printed a line
   */
  public String line() throws IOException {
    String line = output.readLine();
    if (line == null) {
      throw new IOException("the other process ended early; see its output above");
    }
    return line;
  }

  /** Waits for the end of the program, and returns the rest of its output. */
  public List<String> lines() throws IOException {
    return output.readAllLines();
  }

  /** Ends the program and waits for its end. After 10 s the program is killed. */
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
