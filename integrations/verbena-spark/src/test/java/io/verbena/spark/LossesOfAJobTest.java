package io.verbena.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Jobs that lose an executor, or the links to it, on clusters of processes of their own. */
final class LossesOfAJobTest {
  @Test
  @Tag("long")
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void eachRowComesOnceAfterItsBlocksAreComputedAgain(@TempDir Path directory) throws Exception {
    String output =
        SparkProcess.run(
            directory, Duration.ofMinutes(4), List.of(), KilledExecutor.class.getName());
    assertThat(output)
        .contains("before: 100 keys, each row once", "after: 100 keys, each row once")
        .containsPattern("paths: \\[(tcp|shm|rdma) ");
  }

  @Test
  @Tag("long")
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void eachRowComesOnceAlthoughAHundredLinksAreCut(@TempDir Path directory) throws Exception {
    String output =
        SparkProcess.run(
            directory,
            Duration.ofMinutes(4),
            List.of("-Dverbena.upgrade=none"),
            CutLinks.class.getName());
    assertThat(output)
        .containsPattern("\\d{3,} links cut, each row once")
        .doesNotContain("NOT once");
    assertThat(Files.readString(SparkProcess.log(directory), StandardCharsets.UTF_8))
        .contains(" over tcp");
  }
}
