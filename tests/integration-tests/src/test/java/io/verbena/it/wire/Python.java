package io.verbena.it.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.testkit.Root;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A program in Python that uses the client in Python. Its errors go where the test's go. */
final class Python implements AutoCloseable {
  static final String CLIENT = Root.resolve("samples/python").toString();
  private static final String PROGRAMS = "src/test/python/";
  private static final long SECONDS = 60;

  private final Process process;
  private final BufferedReader output;

  private Python(Process process) {
    this.process = process;
    this.output = process.inputReader(StandardCharsets.UTF_8);
  }

  /** Skips the test where there is no Python. */
  static void assumed() {
    assumeTrue(isThere(), "there is no python3 on this machine: its client is not tested");
  }

  private static boolean isThere() {
    try {
      return new ProcessBuilder("python3", "-c", "import sys; sys.exit(sys.version_info < (3, 8))")
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  static Python start(String program, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("python3", PROGRAMS + program, CLIENT));
    command.addAll(List.of(arguments));
    return new Python(
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  /** Returns what a program prints that ends well. */
  static List<String> lines(String program, String... arguments) throws Exception {
    try (Python python = start(program, arguments)) {
      return python.rest();
    }
  }

  /** Returns the next line that it prints. */
  String line() throws IOException {
    return String.valueOf(output.readLine());
  }

  /** Has it go on. */
  void goOn() throws IOException {
    BufferedWriter input = process.outputWriter(StandardCharsets.UTF_8);
    input.newLine();
    input.flush();
  }

  /** Returns what else it prints until it ends, well. */
  List<String> rest() throws Exception {
    List<String> lines = output.lines().toList();
    assertThat(process.waitFor(SECONDS, TimeUnit.SECONDS)).as("ended in time").isTrue();
    assertThat(process.exitValue()).as("exit status, after %s", lines).isZero();
    return lines;
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
