package io.verbena.spark;

import io.verbena.testkit.JavaProcess;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * A driver in a JVM of its own, as Spark's scripts start one: local clusters start their executors
 * with the jars of the installation that a variable of the environment names.
 */
final class SparkProcess {
  /** Starts fast, which is what short jobs need. */
  static final String QUICK =
      "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions"
          + " -XX:-BytecodeVerificationRemote";

  private SparkProcess() {}

  /**
   * Runs a program to its end; returns its output.
   *
   * @param directory for its files
   * @param flags of its JVM; executors have those, too, that are not for Spark
   */
  static String run(Path directory, Duration most, List<String> flags, String... program)
      throws IOException, InterruptedException {
    Path home = home(directory);
    Path out = directory.resolve("out");
    JavaProcess.Builder driver =
        JavaProcess.of("-cp", JavaProcess.classPath())
            .arguments(program)
            .options(jvmArguments())
            .options("-Xmx1g", "-Djava.io.tmpdir=" + directory, "-Dspark.test.home=" + home)
            .options(flags)
            .options("-Dverbena.spark.executor.args=" + executorFlags(directory, flags))
            .directory(directory)
            .writesTo(out)
            .environment(
                Map.of(
                    "SPARK_HOME",
                    home.toString(),
                    "SPARK_SCALA_VERSION",
                    "2.13",
                    "SPARK_LOCAL_IP",
                    address()));
    if (flags.contains("-Dspark.testing=true")) {
      driver.environment(Map.of("SPARK_TESTING", "1")); // for executors, too
    }
    try (JavaProcess running = driver.start()) {
      boolean ended = running.process().waitFor(most.toMillis(), TimeUnit.MILLISECONDS);
      String output = Files.readString(out, StandardCharsets.UTF_8);
      return ended ? output : output + "\nIt had not ended after " + most;
    }
  }

  /** Returns what Spark's own scripts give to its JVMs, as one argument. */
  static String jvmArguments() {
    return "@" + Path.of("src", "test", "jvm.args").toAbsolutePath();
  }

  /** The address of the verbs device serves where there is one: executors listen at it. */
  private static String address() {
    return System.getenv().getOrDefault("LAB_ADDRESS", "127.0.0.1");
  }

  /** Returns the file in which all executors log their fetches. */
  static Path log(Path directory) {
    return directory.resolve("log");
  }

  private static String executorFlags(Path directory, List<String> flags) {
    String own =
        flags.stream()
            .filter(flag -> !flag.startsWith("-Dspark."))
            .collect(Collectors.joining(" "));
    return "%s %s -Dlog4j2.configurationFile=executors-log4j2.properties -Dverbena.spark.log=%s"
        .formatted(QUICK, own, log(directory));
  }

  private static Path home(Path directory) throws IOException {
    Path home = directory.resolve("home");
    Path jars = Files.createDirectories(home.resolve("jars"));
    for (String entry : JavaProcess.classPath().split(File.pathSeparator, -1)) {
      Path jar = Path.of(entry);
      Path link = jars.resolve(jar.getFileName());
      if (Files.isRegularFile(jar) && !Files.exists(link)) {
        Files.createSymbolicLink(link, jar.toAbsolutePath());
      }
    }
    return home;
  }
}
