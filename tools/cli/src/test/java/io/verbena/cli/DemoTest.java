package io.verbena.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testkit.JavaProcess;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The command as a user runs it, in processes of its own. */
class DemoTest {
  /** With the default limits a session is given up after 11 s. */
  private static final Duration LONGER_THAN_SESSIONS_WAIT = Duration.ofSeconds(13);

  @Test
  @Tag("long")
  void makesEveryKindOfCallAndEndsWithThePath() throws Exception {
    CommandRun run = CommandRun.of("demo");
    assertThat(run.err()).isEmpty();
    assertThat(run.exit()).isZero();
    assertThat(run.out())
        .anyMatch(line -> line.startsWith("typed call") && line.contains("violet"))
        .anyMatch(line -> line.startsWith("exception") && line.contains("NoSuchPlant"))
        .anyMatch(line -> line.startsWith("async") && line.contains("1000 answers"))
        .anyMatch(line -> line.startsWith("one-way") && line.contains("counts 5"))
        .anyMatch(line -> line.startsWith("callback") && line.contains("3 times"))
        .anyMatch(line -> line.startsWith("deadline") && line.contains("DEADLINE_EXCEEDED"))
        .anyMatch(line -> line.matches("large object .* 64 MiB at .* CRC32C [0-9a-f]{8} .*"));
    assertThat(run.out().getLast()).matches("path: (shm|tcp|rdma) \\(.+\\)");
    assertThat(run.out().stream().anyMatch(line -> line.matches("upgrade  .* within \\d+ ms")))
        .as("the upgrade is waited for where there is a device")
        .isEqualTo(UpgradeWait.longest().isPositive());
    assertThat(serverOf(run)).as("the server's process").isEmpty();
  }

  /** As on a busy host, or on an emulated machine there. */
  @Test
  @Tag("long")
  void goesOnAfterItsServerStoodStill() throws Exception {
    try (JavaProcess demo = CommandRun.command("demo", "--over", "tcp").start()) {
      String server = pidIn(demo.line());
      while (!demo.line().isEmpty()) {
        // The calls follow the empty line.
      }
      signal("-STOP", server);
      Thread.sleep(LONGER_THAN_SESSIONS_WAIT);
      signal("-CONT", server);
      JavaProcess.Ended ended = demo.end(Duration.ofMinutes(2));
      assertThat(ended.out().lines()).last().asString().startsWith("path: tcp");
      assertThat(ended.status()).isZero();
    }
  }

  private static void signal(String signal, String pid) throws Exception {
    assertThat(new ProcessBuilder("kill", signal, pid).start().waitFor()).isZero();
  }

  private static String pidIn(String firstLine) {
    return firstLine.replaceFirst("server +process (\\d+),.*", "$1");
  }

  private static Optional<ProcessHandle> serverOf(CommandRun run) {
    return ProcessHandle.of(Long.parseLong(pidIn(run.out().getFirst())))
        .filter(ProcessHandle::isAlive);
  }

  @Test
  void namesTheCommandsForOneThatIsNotThere() throws Exception {
    CommandRun run = CommandRun.of("dmo");
    assertThat(run.exit()).isEqualTo(2);
    assertThat(run.err()).contains("dmo").contains("demo");
  }
}
