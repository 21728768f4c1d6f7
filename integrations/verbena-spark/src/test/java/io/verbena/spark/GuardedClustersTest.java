package io.verbena.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
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

/** Sessions take no blocks that Spark would authenticate or encrypt, or that a service has. */
final class GuardedClustersTest {
  private static final String PASSWORD = "for-this-test";

  @Test
  @Tag("long")
  @Timeout(value = 6, unit = TimeUnit.MINUTES)
  void blocksOfOthersStayWithSparksClientAndOneLineSaysWhy(@TempDir Path directory)
      throws Exception {
    Path keys = keys(directory);
    String output =
        SparkProcess.run(
            directory,
            Duration.ofMinutes(5),
            List.of(),
            GuardedClusters.class.getName(),
            "authenticated,spark.authenticate=true,spark.authenticate.secret=" + PASSWORD,
            "encrypted,spark.authenticate=true,spark.authenticate.secret="
                + PASSWORD
                + ",spark.network.crypto.enabled=true",
            "TLS,spark.ssl.rpc.enabled=true,spark.ssl.rpc.protocol=TLSv1.3,spark.ssl.rpc.keyStore="
                + keys
                + ",spark.ssl.rpc.trustStore="
                + keys
                + ",spark.ssl.rpc.keyStorePassword="
                + PASSWORD
                + ",spark.ssl.rpc.keyPassword="
                + PASSWORD
                + ",spark.ssl.rpc.trustStorePassword="
                + PASSWORD,
            "service,spark.shuffle.service.enabled=true,spark.shuffle.service.port=" + freePort(),
            "files,spark.io.encryption.enabled=true");
    assertThat(output)
        .contains(
            "authenticated: 100 keys, each row once, paths []",
            "encrypted: 100 keys, each row once, paths []",
            "TLS: 100 keys, each row once, paths []",
            "service: 100 keys, each row once, paths []")
        .containsPattern("files: 100 keys, each row once, paths \\[(tcp|shm|rdma) ");
    List<String> lines =
        Files.readAllLines(SparkProcess.log(directory), StandardCharsets.UTF_8).stream()
            .filter(line -> line.contains("stay with Spark's own client"))
            .toList();
    assertThat(lines).filteredOn(line -> line.contains("spark.authenticate")).hasSizeBetween(2, 4);
    assertThat(lines)
        .filteredOn(line -> line.contains("spark.ssl.rpc.enabled"))
        .hasSizeBetween(1, 2);
    assertThat(lines)
        .filteredOn(line -> line.contains("spark.shuffle.service.enabled"))
        .hasSizeBetween(1, 2);
  }

  private static int freePort() throws IOException {
    try (ServerSocket any = new ServerSocket(0)) {
      return any.getLocalPort();
    }
  }

  private static Path keys(Path directory) throws IOException, InterruptedException {
    Path keys = directory.resolve("keys.p12");
    int status =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-alias",
                "spark",
                "-dname",
                "CN=localhost",
                "-ext",
                "SAN=DNS:localhost,IP:127.0.0.1",
                "-storepass",
                PASSWORD,
                "-keystore",
                keys.toString())
            .inheritIO()
            .start()
            .waitFor();
    assertThat(status).isZero();
    return keys;
  }
}
