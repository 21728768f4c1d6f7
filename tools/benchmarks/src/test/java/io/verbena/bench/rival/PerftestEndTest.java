package io.verbena.bench.rival;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.bench.load.Kind;
import io.verbena.bench.load.Load;
import io.verbena.testkit.JavaProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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
    Map<String, String> path = Map.of("PATH", folder + ":" + System.getenv("PATH"));
    try (JavaProcess process = JavaProcess.of(Measuring.class).environment(path).start()) {
      List<ProcessHandle> programs = List.of();
      while (programs.size() < 2) {
        assertThat(process.process().isAlive()).isTrue();
        Thread.sleep(20);
        programs = Files.exists(started) ? alive(started) : List.of();
      }
      process.kill();
      for (ProcessHandle each : programs) {
        each.onExit().join();
      }
    }
  }

  private static List<ProcessHandle> alive(Path file) throws IOException {
    return Files.readAllLines(file).stream()
        .flatMap(pid -> ProcessHandle.of(Long.parseLong(pid)).stream())
        .toList();
  }
}
