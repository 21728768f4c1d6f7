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

/** Two executors whose blocks go over a verbs device. */
final class JobOverDeviceTest {
  @Test
  @Tag("lab")
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void eachRowComesOnceOverRdma(@TempDir Path directory) throws Exception {
    String output =
        SparkProcess.run(
            directory,
            Duration.ofMinutes(9),
            List.of("-Dverbena.upgrade=rdma"),
            JobOverDevice.class.getName());
    output
        .lines()
        .filter(line -> line.startsWith("rows: ") || line.startsWith("paths: "))
        .forEach(System.out::println);
    assertThat(output)
        .contains("rows: 100 keys, each row once")
        .containsPattern("paths: \\[rdma \\(.*\\)\\]"); // an address of IPv6 has brackets, too
    assertThat(Files.readString(SparkProcess.log(directory), StandardCharsets.UTF_8))
        .contains(" over rdma")
        .doesNotContain(" over tcp", " over shm");
  }
}
