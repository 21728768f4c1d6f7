package io.verbena.bench.rival;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.bench.load.Kind;
import io.verbena.bench.load.Load;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A program that never ends stands for perftest's. */
@Tag("long")
@EnabledOnOs(OS.LINUX)
class PerftestEndTest {
  /** A process that has perftest take a turn. */
  static final class Measuring {
    private Measuring() {}

    public static void main(String[] args) throws IOException, InterruptedException {
      new Perftest("rxe0", "10.7.0.1").turn(Load.of(Kind.CALL, 64, 1, Duration.ofSeconds(1)));
    }
  }

  @Test
  @Timeout(60)
  void leavesNoProgramWhenItsProcessIsKilled(@TempDir Path folder) throws Exception {
    Path started = folder.resolve("started");
    Path program = folder.resolve("ib_send_lat");
    Files.writeString(program, "#!/bin/sh\necho $$ >> " + started + "\nexec sleep 600\n");
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    ProcessBuilder builder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Measuring.class.getName())
            .inheritIO();
    builder.environment().merge("PATH", folder.toString(), (path, ours) -> ours + ":" + path);
    Process process = builder.start();
    try {
      List<ProcessHandle> programs = List.of();
      while (programs.size() < 2) {
        assertThat(process.isAlive()).isTrue();
        Thread.sleep(20);
        programs = Files.exists(started) ? alive(started) : List.of();
      }
      process.destroyForcibly();
      for (ProcessHandle each : programs) {
        each.onExit().join();
      }
    } finally {
      process.destroyForcibly();
    }
  }

  private static List<ProcessHandle> alive(Path file) throws IOException {
    return Files.readAllLines(file).stream()
        .flatMap(pid -> ProcessHandle.of(Long.parseLong(pid)).stream())
        .toList();
  }
}
