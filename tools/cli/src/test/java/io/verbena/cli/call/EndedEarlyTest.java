package io.verbena.cli.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.cli.Main;
import io.verbena.testkit.JavaProcess;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A stream that has no end, read by a process that ends before. */
@Timeout(60)
@Tag("long")
class EndedEarlyTest {
  @TempDir private Path files;
  private ShopServer shop;
  private Process process;

  @BeforeEach
  void readOneItem() throws Exception {
    shop = ShopServer.whole();
    List<String> command =
        JavaProcess.of(Main.class, "call", shop.address(), "shop.back.v1.endless")
            .options("--enable-native-access=ALL-UNNAMED")
            .command();
    // Whether its output is read, and until when, is what the tests are about.
    process = new ProcessBuilder(command).redirectError(err().toFile()).start();
    assertThat(process.inputReader().readLine()).isEqualTo("7");
  }

  @AfterEach
  void close() {
    process.destroyForcibly();
    shop.close();
  }

  private Path err() {
    return files.resolve("err");
  }

  private boolean ends() throws InterruptedException {
    return shop.ended.tryAcquire(10, TimeUnit.SECONDS);
  }

  @Test
  void endsTheStreamWhereNobodyReadsItAnyMore() throws Exception {
    process.inputReader().close();
    assertThat(ends()).isTrue();
    assertThat(process.waitFor()).isEqualTo(128 + 13);
    assertThat(err()).isEmptyFile();
  }

  @Test
  void endsTheStreamWhenItIsToldToEnd() throws Exception {
    try (BufferedReader out = process.inputReader()) {
      process.toHandle().destroy(); // and leave the pipe open
      out.lines().forEach(line -> {}); // it may wait for room in the pipe
      assertThat(ends()).isTrue();
      assertThat(process.waitFor()).isEqualTo(128 + 15);
      assertThat(shop.losses).as("the session was closed, and not lost").isEmpty();
    }
    assertThat(Files.readString(err())).isEmpty();
  }

  @Test
  void saysOnceThatTheStreamFailed() throws Exception {
    try (BufferedReader out = process.inputReader()) {
      shop.close();
      out.lines().forEach(line -> {});
    }
    assertThat(process.waitFor()).isEqualTo(1);
    assertThat(Files.readString(err()))
        .contains("the stream of shop.back.v1/endless failed: ")
        .doesNotContain("verbena.streams");
  }
}
