package io.verbena.samples.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

class ShuffleRaceTest {
  @Test
  @EnabledIfSystemProperty(named = "verbena.full", matches = "true")
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void printsTheCostOfBothAndThePath(@TempDir Path directory) throws Exception {
    Path output = directory.resolve("output");
    Process race =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                ShuffleRace.class.getName(),
                "2",
                "1",
                "2",
                "spark.executor.extraJavaOptions=-XX:TieredStopAtLevel=1")
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      boolean ended = race.waitFor(4, TimeUnit.MINUTES);
      String printed = Files.readString(output, StandardCharsets.UTF_8);
      assertThat(ended).as(printed).isTrue();
      assertThat(printed)
          .containsPattern("Spark's client +whole job .* 2,000 rows, [1-9][0-9,]+ remote bytes")
          .containsPattern("Verbena +reading alone .* 2,000 rows, [1-9][0-9,]+ remote bytes")
          .containsPattern("Verbena +path: (tcp|shm|rdma) ")
          .contains("medians: time ");
      assertThat(race.exitValue()).isZero();
    } finally {
      race.descendants().forEach(ProcessHandle::destroyForcibly);
      race.destroyForcibly();
    }
  }
}
