package io.verbena.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A program in a JVM of its own. {@link #close} kills it and what it has started, and so does the
 * end of the test's JVM; where that is killed itself, only a program ends that calls {@link
 * #endWithParent}. What the program prints is read while it runs, so that it never waits for a
 * reader. For use by one thread.
 */
public final class JavaProcess implements AutoCloseable {
  /** For a JVM that lives for seconds. */
  private static final List<String> QUICK_TO_START =
      List.of(
          "-XX:TieredStopAtLevel=1",
          "-XX:+UseSerialGC",
          "-XX:+UnlockDiagnosticVMOptions",
          "-XX:-BytecodeVerificationRemote");

  /** How long a line may be waited for, unless the test says something else. */
  private static final Duration A_LINE = Duration.ofMinutes(2);

  private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> RUNNING.forEach(JavaProcess::destroyTree)));
  }

  private final Process process;
  private final Output output;
  private final @Nullable Output errors;

  private JavaProcess(Process process, boolean readsErrors) {
    this.process = process;
    RUNNING.add(process);
    this.output = new Output(process.getInputStream());
    this.errors = readsErrors ? new Output(process.getErrorStream()) : null;
  }

  /** Returns how to start a class of the test's class path; its errors go where the test's go. */
  public static Builder of(Class<?> program, String... arguments) {
    return new Builder(List.of("-cp", classPath(), program.getName())).arguments(arguments);
  }

  /** Returns how to start {@code java} with these words, such as {@code -jar} and a file. */
  public static Builder of(String... words) {
    return new Builder(List.of(words));
  }

  /** Starts a class of the test's class path. */
  public static JavaProcess start(Class<?> program, String... arguments) throws IOException {
    return of(program, arguments).start();
  }

  /** Starts a class of the test's class path with options for its JVM, such as {@code -Xmx64m}. */
  public static JavaProcess start(List<String> options, Class<?> program, String... arguments)
      throws IOException {
    return of(program, arguments).options(options).start();
  }

  /** Returns the test's own class path. */
  public static String classPath() {
    return System.getProperty("java.class.path");
  }

  /** For the program: returns when the process that started it has closed it, or has ended. */
  public static void endWithParent() throws IOException {
    while (System.in.read() != -1) {
      // Nothing is ever written here; only the end says something.
    }
  }

  /**
   * Returns the next line that it prints.
   *
   * @throws IOException if it ends before, or prints none within two minutes
   */
  public String line() throws IOException {
    return line(A_LINE);
  }

  /** Returns the next line, for which it has this long. */
  public String line(Duration most) throws IOException {
    return output.line(System.nanoTime() + most.toNanos());
  }

  /** Returns the rest of the next line that begins so; those before it are lost. */
  public String lineAfter(String begin) throws IOException {
    return lineAfter(begin, A_LINE);
  }

  /** Returns the rest of the next line that begins so, for which it has this long. */
  public String lineAfter(String begin, Duration most) throws IOException {
    long until = System.nanoTime() + most.toNanos();
    String line = output.line(until);
    while (!line.startsWith(begin)) {
      line = output.line(until);
    }
    return line.substring(begin.length());
  }

  /** Ends its standard input. */
  public void endInput() throws IOException {
    process.getOutputStream().close();
  }

  /**
   * What a program said that has ended.
   *
   * @param out the lines that it printed and no {@link #line} has returned
   * @param errors empty unless they are kept
   */
  public record Ended(int status, String out, String errors) {}

  /**
   * Waits for its end.
   *
   * @throws AssertionError if it has not ended within this time; it is killed
   */
  public Ended end(Duration most) throws InterruptedException {
    long until = System.nanoTime() + most.toNanos();
    boolean ended = process.waitFor(most.toNanos(), TimeUnit.NANOSECONDS);
    if (!ended) {
      close();
    }
    String out = output.rest(until);
    String said = errors == null ? "" : errors.rest(until);
    if (!ended) {
      throw new AssertionError("not ended within %s: %s%s".formatted(most, out, said));
    }
    return new Ended(process.exitValue(), out, said);
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
    Process kill = new ProcessBuilder("kill", name, Long.toString(process.pid())).start();
    if (kill.waitFor() != 0) {
      throw new IOException("the process takes no signal");
    }
  }

  /**
   * Returns the time that processors have worked for it. A bound on that says how long something
   * took, however many others want the processors; where it waits for ever, no such time passes.
   */
  public Duration processorTime() {
    return process.info().totalCpuDuration().orElseThrow();
  }

  /** Returns the process, for all else but its output. */
  public Process process() {
    return process;
  }

  @Override
  public void close() {
    destroyTree(process);
    process.onExit().join();
    RUNNING.remove(process);
  }

  private static void destroyTree(Process process) {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.toHandle().destroyForcibly(); // that of Process would close what it has printed
  }

  /** How to start one. */
  public static final class Builder {
    private final List<String> under = new ArrayList<>();
    private final List<String> options = new ArrayList<>(QUICK_TO_START);
    private final List<String> words;
    private Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    private final ProcessBuilder process =
        new ProcessBuilder().redirectError(ProcessBuilder.Redirect.INHERIT);

    private Builder(List<String> words) {
      this.words = new ArrayList<>(words);
    }

    /** Has another {@code java} run it than the test's, such as that of a linked image. */
    public Builder java(Path other) {
      java = other;
      return this;
    }

    /** Adds arguments for the program. */
    public Builder arguments(String... more) {
      words.addAll(List.of(more));
      return this;
    }

    /** Adds options for its JVM, of which later ones count. */
    public Builder options(List<String> more) {
      options.addAll(more);
      return this;
    }

    /** Adds options for its JVM, of which later ones count. */
    public Builder options(String... more) {
      return options(List.of(more));
    }

    /** Replaces the class path. */
    public Builder classPath(String path) {
      words.set(words.indexOf("-cp") + 1, path);
      return this;
    }

    /** Adds variables to the environment. */
    public Builder environment(Map<String, String> more) {
      process.environment().putAll(more);
      return this;
    }

    /** Has it run in a directory. */
    public Builder directory(Path directory) {
      process.directory(directory.toFile());
      return this;
    }

    /** Has a command start it, whose words come first, such as {@code setpriv --nnp}. */
    public Builder under(List<String> command) {
      under.addAll(command);
      return this;
    }

    /** Has a shell start it after commands, such as {@code ulimit -n 64}. */
    public Builder after(String commands) {
      return under(List.of("bash", "-c", commands + " && exec \"$@\"", "bash"));
    }

    /** Puts its errors among what it prints. */
    public Builder mergesErrors() {
      process.redirectErrorStream(true);
      return this;
    }

    /** Keeps its errors for {@link JavaProcess.Ended}. */
    public Builder keepsErrors() {
      process.redirectError(ProcessBuilder.Redirect.PIPE);
      return this;
    }

    /** Writes its errors to a file. */
    public Builder errorsTo(Path file) {
      process.redirectError(file.toFile());
      return this;
    }

    /** Writes all that it prints to a file, its errors among it. */
    public Builder writesTo(Path file) {
      process.redirectErrorStream(true).redirectOutput(file.toFile());
      return this;
    }

    /** Returns the words of its command. */
    public List<String> command() {
      List<String> command = new ArrayList<>(under);
      command.add(java.toString());
      command.addAll(options);
      command.addAll(words);
      return command;
    }

    /** Starts it. */
    public JavaProcess start() throws IOException {
      boolean readsErrors =
          !process.redirectErrorStream()
              && process.redirectError().equals(ProcessBuilder.Redirect.PIPE);
      return new JavaProcess(process.command(command()).start(), readsErrors);
    }

    /** Runs it to its end without input, and fails where that takes longer. */
    public Ended run(Duration most) throws IOException, InterruptedException {
      try (JavaProcess running = start()) {
        running.endInput();
        return running.end(most);
      }
    }
  }

  /**
   * A line of it.
   *
   * @param text null at the end
   */
  private record Line(@Nullable String text) {
    static final Line END = new Line(null);
  }

  /** What is printed, from its begin to its end. */
  private static final class Output {
    private final BlockingQueue<Line> lines = new LinkedBlockingQueue<>();

    Output(InputStream from) {
      // A virtual thread that reads from a process keeps its carrier, and there may be two for all.
      Thread.ofPlatform().daemon().name("reads a process").start(() -> read(from));
    }

    private void read(InputStream from) {
      try (BufferedReader reader =
          new BufferedReader(new InputStreamReader(from, StandardCharsets.UTF_8))) {
        reader.lines().forEach(line -> lines.add(new Line(line)));
      } catch (IOException | UncheckedIOException _) {
        // It is over.
      } finally {
        lines.add(Line.END);
      }
    }

    private @Nullable Line poll(long until) throws InterruptedException {
      return lines.poll(Math.max(0, until - System.nanoTime()), TimeUnit.NANOSECONDS);
    }

    String line(long until) throws IOException {
      try {
        Line line = poll(until);
        if (line == null) {
          throw new IOException("the process prints nothing, and goes on");
        }
        if (line.text == null) {
          lines.add(line);
          throw new IOException("the process ended");
        }
        return line.text;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException();
      }
    }

    /** What is there when it ends, or then if that is earlier: others may have got hold of it. */
    String rest(long until) throws InterruptedException {
      StringBuilder rest = new StringBuilder();
      Line line = poll(until);
      while (line != null && line.text != null) {
        rest.append(line.text).append('\n');
        line = poll(until);
      }
      lines.add(Line.END);
      return rest.toString();
    }
  }
}
