package io.verbena.bench.run;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A program of the bench in a JVM of its own, on this host. It ends when its input does, and so
 * with this process. For one thread.
 */
public final class Subprocess implements AutoCloseable {
  private static final int SECONDS_TO_END = 10;

  /** In the laboratory, where each JVM is on one processor: not on this one's, which has 0. */
  private static final String LABORATORY_CPU = "LAB_CPU";

  private final Process process;
  private final BufferedReader output;
  private final String name;

  private Subprocess(Process process, String name) {
    this.process = process;
    this.name = name;
    this.output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /** Starts a class's main method, with flags for its JVM such as {@code -Xmx256m}. */
  public static Subprocess start(List<String> flags, Class<?> program, String... arguments)
      throws IOException {
    return start(List.of(), flags, program, arguments);
  }

  /** Starts one as what another program, such as a tracer, runs. */
  public static Subprocess startUnder(List<String> other, Class<?> program, String... arguments)
      throws IOException {
    return start(other, List.of(), program, arguments);
  }

  private static Subprocess start(
      List<String> before, List<String> flags, Class<?> program, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(before);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(flags);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().put(LABORATORY_CPU, "1");
    return new Subprocess(builder.start(), program.getSimpleName());
  }

  /** For the program: returns when the process that started it has closed it, or has ended. */
  public static void awaitEndOfInput() throws IOException {
    while (System.in.read() != -1) {
      // Nothing is ever written here; only the end says something.
    }
  }

  /**
   * Returns the next line that it prints.
   *
   * @throws IOException if it ended before
   */
  public String line() throws IOException {
    String line = output.readLine();
    if (line == null) {
      throw new IOException("the process of " + name + " ended early; what it said stands above");
    }
    return line;
  }

  /** Returns all that it prints from now on, when it has ended. */
  public List<String> lines() throws IOException {
    return output.readAllLines();
  }

  /** Ends it, by force if it takes longer than 10 s. */
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
