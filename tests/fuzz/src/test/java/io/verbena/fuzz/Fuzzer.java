package io.verbena.fuzz;

import io.verbena.testkit.JavaProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One run of Jazzer, in a JVM of its own, over one target or all. What it was given, what it added
 * and its log are left in {@code target/fuzz}.
 */
final class Fuzzer {
  private static final Path HOME = Path.of("target/fuzz");

  /** Before time counts, everything is loaded and instrumented; a busy machine takes its time. */
  private static final int LONGEST_START_SECONDS = 600;

  private static final int LONGEST_INPUT = 4096;

  private final @Nullable Targets target;
  private final Path home;
  private final Path corpus;
  private final Path found;
  private final Path log;

  /**
   * A run that begins with the stored inputs.
   *
   * @param target null for all of them by turns
   */
  Fuzzer(@Nullable Targets target) throws IOException {
    this.target = target;
    this.home = HOME.resolve(target == null ? "all" : target.title());
    this.corpus = home.resolve("corpus");
    this.found = home.resolve("found");
    this.log = home.resolve("log");
    clear(corpus);
    clear(found);
    Corpus.writeFiles(corpus, inputs());
  }

  private static void clear(Path directory) throws IOException {
    Files.createDirectories(directory);
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
  }

  private List<byte[]> inputs() throws IOException {
    List<byte[]> inputs = new ArrayList<>();
    for (Targets one : target == null ? List.of(Targets.values()) : List.of(target)) {
      List<byte[]> all = new ArrayList<>(Corpus.of(one));
      try {
        all.addAll(one.make().seeds());
      } catch (Exception e) {
        throw new IOException(e);
      }
      all.forEach(input -> inputs.add(target == null ? Fuzzed.addressed(one, input) : input));
    }
    return inputs;
  }

  /**
   * Looks for inputs that break a rule, for so long.
   *
   * @throws AssertionError if there is one; the message says what it breaks, and how to keep it
   */
  void search(int seconds) throws Exception {
    // What runs for seconds is not worth a second compiler's time.
    String compiler = "-XX:TieredStopAtLevel=" + (seconds < 30 ? 1 : 4);
    List<String> options =
        List.of(
            corpus.toString(),
            "-artifact_prefix=" + found + "/",
            "--reproducer_path=" + home,
            "-max_total_time=" + seconds,
            "-max_len=" + LONGEST_INPUT,
            "-timeout=20",
            "-rss_limit_mb=0",
            "-print_final_stats=1");
    int exit = run(compiler, options, seconds + LONGEST_START_SECONDS);
    List<byte[]> findings = Corpus.readFiles(found);
    String text = Files.readString(log);
    System.out.println(summary(text));
    if (exit != 0 || !findings.isEmpty()) {
      throw new AssertionError(describe(text, findings));
    }
  }

  /** Returns the inputs that are needed to reach all that is reached now, shortest first. */
  List<byte[]> smallest(int most) throws Exception {
    Path kept = home.resolve("kept");
    clear(kept);
    int exit =
        run(
            "-XX:TieredStopAtLevel=4",
            List.of("-merge=1", kept.toString(), corpus.toString()),
            600);
    if (exit != 0) {
      throw new AssertionError("the corpus could not be made smaller; see " + log);
    }
    return Corpus.readFiles(kept).stream().limit(most).toList();
  }

  private int run(String compiler, List<String> options, int longestSeconds) throws Exception {
    JavaProcess.Builder jazzer =
        JavaProcess.of(
                "-cp",
                JavaProcess.classPath(),
                "com.code_intelligence.jazzer.Jazzer",
                "--target_class=" + Fuzzed.class.getName(),
                "--instrumentation_includes=io.verbena.**:com.esotericsoftware.kryo.**",
                "--custom_hook_includes=io.verbena.**")
            .arguments(options.toArray(String[]::new))
            .options(
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-XX:+EnableDynamicAgentLoading",
                "-Xmx512m",
                compiler)
            .writesTo(log);
    if (target != null) {
      jazzer.options("-D" + Fuzzed.TARGET + "=" + target.name());
    }
    try (JavaProcess running = jazzer.start()) {
      if (!running.process().waitFor(longestSeconds, TimeUnit.SECONDS)) {
        throw new AssertionError("the fuzzer has not ended by itself; see " + log.toAbsolutePath());
      }
      return running.process().exitValue();
    }
  }

  private String summary(String text) {
    String runs =
        text.lines().filter(line -> line.startsWith("Done ")).findFirst().orElse("not done");
    return "fuzzing %s: %s".formatted(home.getFileName(), runs);
  }

  private String describe(String text, List<byte[]> findings) {
    int from = Math.max(text.indexOf("== Java Exception"), text.indexOf("== ERROR"));
    String what = text.substring(Math.max(0, from), Math.min(text.length(), from + 3000));
    StringBuilder words = new StringBuilder("the fuzzer has found something:\n" + what);
    for (byte[] input : findings) {
      Targets whose = Objects.requireNonNullElseGet(target, () -> Fuzzed.addressee(input));
      byte[] own = target == null ? Fuzzed.content(input) : input;
      words.append("\nto keep it, add to %s:\n%s".formatted(Corpus.file(whose), Corpus.line(own)));
    }
    return words.append("\nall of it: ").append(log.toAbsolutePath()).toString();
  }
}
