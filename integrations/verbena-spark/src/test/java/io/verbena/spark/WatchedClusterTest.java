package io.verbena.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What Spark's metrics and 'verbena stat' tell of a cluster. */
final class WatchedClusterTest {
  private static final Pattern WAITED = Pattern.compile("waited: (\\d+) ms");

  @Test
  @Tag("long")
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void metricsAreRightAndStatSeesExecutors(@TempDir Path directory) throws Exception {
    String output =
        SparkProcess.run(
            directory, Duration.ofMinutes(4), List.of(), WatchedCluster.class.getName());
    assertThat(output)
        .contains("at first: 100 keys, each row once", "at last: 100 keys, each row once")
        .containsPattern(
            "(?s)counts: (\\d+) bytes written, \\1 read, of these remote (\\d{2,}); 16 blocks, remote ones, too.*interface: .*\"shuffleRemoteBytesRead\":\\2,")
        .containsPattern("(?s)(stat of an executor: .*server at .*(tcp|shm|rdma) \\(.*){2}");
    Matcher waited = WAITED.matcher(output);
    assertThat(waited.find()).as(output).isTrue();
    assertThat(Long.parseLong(waited.group(1))).isGreaterThan(1000);
  }
}
