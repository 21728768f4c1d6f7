package io.verbena.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Spark's 20 tests of a shuffle, and its two of a sort shuffle's files, in a JVM of their own that
 * starts clusters of further ones: one to two minutes for each path. Verbs in memory reach no
 * further than a process, so that all executors of a cluster are in one.
 */
final class SparksOwnSuiteTest {
  private static final Pattern FETCH = Pattern.compile("Fetched \\d+ blocks .* over (\\w+)");

  @Test
  @Tag("long")
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void passesEachOfThem(@TempDir Path directory) throws Exception {
    passes("tcp", "none", directory);
  }

  /** They take the processors from other tests for six minutes. */
  @ParameterizedTest
  @ValueSource(strings = {"shm", "rdma"})
  @Tag("long")
  @EnabledIfSystemProperty(named = "verbena.full", matches = "true")
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void passesEachOfThemOverBetterPaths(String path, @TempDir Path directory) throws Exception {
    passes(path, path, directory);
  }

  private static void passes(String path, String upgrade, Path directory) throws Exception {
    String java =
        path.equals("rdma")
            ? ExecutorsOfOneProcess.javaHome(directory, SparkProcess.jvmArguments())
            : System.getProperty("java.home");
    String output =
        SparkProcess.run(
            directory,
            Duration.ofMinutes(8),
            List.of(
                "-Dspark.testing=true",
                "-Dverbena.upgrade=" + upgrade,
                "-Dverbena.spark.executor.java=" + java),
            "org.scalatest.tools.Runner",
            "-R",
            Path.of("target", "test-classes").toAbsolutePath().toString(),
            "-oW",
            "-s",
            SparksOwnSuite.class.getName());
    Map<String, Integer> byPath = fetchesByPath(SparkProcess.log(directory));
    System.out.println("fetches by path: " + byPath);
    assertThat(output).contains("Tests: succeeded 22, failed 0, canceled 0, ignored 0, pending 0");
    assertThat(byPath).containsOnlyKeys(path);
  }

  /** Returns how many fetches took each path, by what the executors said. */
  private static Map<String, Integer> fetchesByPath(Path log) throws IOException {
    Map<String, Integer> byPath = new TreeMap<>();
    Matcher fetch = FETCH.matcher(Files.readString(log, StandardCharsets.UTF_8));
    while (fetch.find()) {
      byPath.merge(fetch.group(1), 1, Integer::sum);
    }
    return byPath;
  }
}
