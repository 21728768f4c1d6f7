package io.verbena.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The command as a user runs it, in processes of its own. */
class DemoTest {
  private record Run(int exit, List<String> out, String err) {}

  private static Run verbena(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED"); // as the jar's manifest says
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(List.of(arguments));
    Path err = Path.of("target", "demo-" + ProcessHandle.current().pid() + ".err");
    Process process = new ProcessBuilder(command).redirectError(err.toFile()).start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int exit = process.waitFor();
    return new Run(exit, out.lines().toList(), Files.readString(err));
  }

  @Test
  void makesEveryKindOfCallAndEndsWithThePath() throws Exception {
    Run run = verbena("demo");
    assertThat(run.err()).isEmpty();
    assertThat(run.exit()).isZero();
    assertThat(run.out())
        .anyMatch(line -> line.startsWith("typed call") && line.contains("violet"))
        .anyMatch(line -> line.startsWith("exception") && line.contains("NoSuchPlant"))
        .anyMatch(line -> line.startsWith("async") && line.contains("1000 answers"))
        .anyMatch(line -> line.startsWith("one-way") && line.contains("counts 5"))
        .anyMatch(line -> line.startsWith("callback") && line.contains("3 times"))
        .anyMatch(line -> line.startsWith("deadline") && line.contains("DEADLINE_EXCEEDED"))
        .anyMatch(line -> line.matches("large object .* 256 MiB at .* CRC32C [0-9a-f]{8} .*"));
    assertThat(run.out().getLast()).matches("path: (tcp|rdma) \\(.+\\)");
    assertThat(run.out().stream().anyMatch(line -> line.matches("upgrade  .* within \\d+ ms")))
        .as("the upgrade is waited for where there is a device")
        .isEqualTo(UpgradeWait.longest().isPositive());
    assertThat(serverOf(run)).as("the server's process").isEmpty();
  }

  private static Optional<ProcessHandle> serverOf(Run run) {
    String pid = run.out().getFirst().replaceFirst("server +process (\\d+),.*", "$1");
    return ProcessHandle.of(Long.parseLong(pid)).filter(ProcessHandle::isAlive);
  }

  @Test
  void namesTheCommandsForOneThatIsNotThere() throws Exception {
    Run run = verbena("dmo");
    assertThat(run.exit()).isEqualTo(2);
    assertThat(run.err()).contains("dmo").contains("demo");
  }
}
