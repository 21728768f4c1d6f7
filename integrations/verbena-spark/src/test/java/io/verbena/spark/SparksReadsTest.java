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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What Spark does with blocks beyond a plain read, on clusters of processes of their own. */
final class SparksReadsTest {
  /** With Spark's own manager, which stands for what users know, and with Verbena's. */
  @ParameterizedTest
  @ValueSource(strings = {"sort", "sessions"})
  @Tag("long")
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void aCorruptBlockIsFoundDiagnosedAndComputedAgain(String manager, @TempDir Path directory)
      throws Exception {
    assertThat(run(directory, CorruptBlock.class.getName(), manager))
        .contains("before: 100 keys, each row once", "after: 100 keys, each row once")
        .containsPattern("told of blocks of another executor: \\[.*corrupted due to DISK_ISSUE");
  }

  @Test
  @Tag("long")
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void neighbouringPartitionsComeInBatches(@TempDir Path directory) throws Exception {
    assertThat(run(directory, BatchedBlocks.class.getName()))
        .contains("one by one: each row once, 48 blocks, remote ones, too")
        .contains("in batches: each row once, 12 blocks, remote ones, too")
        .containsPattern("paths: \\[(tcp|shm|rdma) ");
  }

  private static String run(Path directory, String... program) throws Exception {
    return SparkProcess.run(directory, Duration.ofMinutes(4), List.of(), program);
  }
}
