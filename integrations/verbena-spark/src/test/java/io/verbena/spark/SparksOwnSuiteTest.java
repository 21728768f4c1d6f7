package io.verbena.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Spark's 20 tests of a shuffle, and its two of a sort shuffle's files, in a JVM of their own that
 * starts clusters of further ones: some minutes for each path.
 */
final class SparksOwnSuiteTest {
  @ParameterizedTest
  @ValueSource(strings = {"TCP_ONLY", "shm"})
  @EnabledIfSystemProperty(named = "verbena.full", matches = "true")
  @Timeout(value = 25, unit = TimeUnit.MINUTES)
  void passesEachOfThem(String path, @TempDir Path directory) throws Exception {
    String upgrade = "-Dverbena.upgrade=" + path;
    String output =
        SparkProcess.run(
            directory,
            Duration.ofMinutes(20),
            List.of(
                "-Dspark.testing=true",
                upgrade,
                "-Dverbena.spark.executor.args=" + SparkProcess.QUICK + " " + upgrade),
            "org.scalatest.tools.Runner",
            "-R",
            Path.of("target", "test-classes").toAbsolutePath().toString(),
            "-oW",
            "-s",
            SparksOwnSuite.class.getName());
    assertThat(output).contains("Tests: succeeded 22, failed 0, canceled 0, ignored 0, pending 0");
  }
}
