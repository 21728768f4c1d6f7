package io.verbena.it;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A program of these tests in a JVM of its own. It ends with {@link #close}; one that calls {@link
 * #endWithParent} also ends with the test's process, however that ends.
 */
public final class JavaProcess implements AutoCloseable {
  /** It lives for seconds. */
  private static final List<String> QUICK_TO_START =
      List.of(
          "-XX:TieredStopAtLevel=1",
          "-XX:+UseSerialGC",
          "-XX:+UnlockDiagnosticVMOptions",
          "-XX:-BytecodeVerificationRemote");

  private final Process process;
  private final BufferedReader output;

  private JavaProcess(Process process) {
    this.process = process;
    this.output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /** Starts a program with the test's own class path; its errors go where the test's go. */
  public static JavaProcess start(Class<?> program, String... arguments) throws IOException {
    return start(List.of(), program, arguments);
  }

  /** Starts a program with flags for its JVM, such as {@code -Xmx256m}. */
  public static JavaProcess start(List<String> flags, Class<?> program, String... arguments)
      throws IOException {
    return start(flags, System.getProperty("java.class.path"), program.getName(), arguments);
  }

  /** Starts a program under a limit of the shell's, such as {@code -n 64} open files. */
  public static JavaProcess limitedTo(String ulimit, List<String> flags, Class<?> program)
      throws IOException {
    List<String> command =
        new ArrayList<>(List.of("sh", "-c", "ulimit " + ulimit + " && exec \"$@\"", "sh"));
    command.addAll(java(flags, System.getProperty("java.class.path"), program.getName()));
    return started(command);
  }

  /** Starts a program of which these classes are a part, beside those of the test. */
  public static JavaProcess start(Path classes, String program, String... arguments)
      throws IOException {
    String classPath = classes + File.pathSeparator + System.getProperty("java.class.path");
    return start(List.of(), classPath, program, arguments);
  }

  private static JavaProcess start(
      List<String> flags, String classPath, String program, String... arguments)
      throws IOException {
    return started(java(flags, classPath, program, arguments));
  }

  private static List<String> java(
      List<String> flags, String classPath, String program, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(QUICK_TO_START);
    command.addAll(flags);
    command.addAll(List.of("-cp", classPath, program));
    command.addAll(List.of(arguments));
    return command;
  }

  private static JavaProcess started(List<String> command) throws IOException {
    return new JavaProcess(
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  /** For the program: returns when the process that started it has closed it, or has ended. */
  public static void endWithParent() throws IOException {
    while (System.in.read() != -1) {
      // Nothing is ever written here; only the end says something.
    }
  }

  /** Returns the next line that it prints. */
  public String line() throws IOException {
    String line = output.readLine();
    if (line == null) {
      throw new IOException("the process ended");
    }
    return line;
  }

  /** Ends it with SIGKILL: no handler, no shutdown hook, no word to anybody. */
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Asks it to end, by SIGTERM. What it prints meanwhile can still be read. */
  public void terminate() {
    process.toHandle().destroy();
  }

  /** Stops its threads, as a long pause of the machine would. */
  public void freeze() throws IOException, InterruptedException {
    signal("-STOP");
  }

  /** Has its threads go on. */
  public void thaw() throws IOException, InterruptedException {
    signal("-CONT");
  }

  private void signal(String name) throws IOException, InterruptedException {
    new ProcessBuilder("kill", name, Long.toString(process.pid())).start().waitFor();
  }

  /** Returns the process, for all else. */
  public Process process() {
    return process;
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly().onExit().join();
    output.close();
  }
}
