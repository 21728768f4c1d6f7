package io.verbena.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A cluster that loses an executor computes its blocks again, on processes of their own. */
final class KilledExecutorTest {
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
}
