package io.verbena.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The command as a user runs it, in processes of its own. */
class DemoTest {
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

  private static Optional<ProcessHandle> serverOf(CommandRun run) {
    String pid = run.out().getFirst().replaceFirst("server +process (\\d+),.*", "$1");
    return ProcessHandle.of(Long.parseLong(pid)).filter(ProcessHandle::isAlive);
  }

  @Test
  void namesTheCommandsForOneThatIsNotThere() throws Exception {
    CommandRun run = CommandRun.of("dmo");
    assertThat(run.exit()).isEqualTo(2);
    assertThat(run.err()).contains("dmo").contains("demo");
  }
}
