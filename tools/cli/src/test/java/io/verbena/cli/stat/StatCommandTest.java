package io.verbena.cli.stat;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Session;
import io.verbena.cli.Main;
import io.verbena.core.VerbenaClient;
import io.verbena.testkit.JavaProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

/** The command looks into a server's process from this one, as a user would. */
class StatCommandTest {
  private record Run(int exit, String out, String err) {}

  private static JavaProcess server;
  private static String address;

  @BeforeAll
  static void start() throws IOException {
    // The JDK does not list such a process, nor one whose user has no name.
    server = demoServer("-XX:-UsePerfData");
    address = server.line();
  }

  private static JavaProcess demoServer(String option) throws IOException {
    return JavaProcess.start(
        List.of(option, "--enable-native-access=ALL-UNNAMED"), Main.class, "demo-server");
  }

  @AfterAll
  static void end() {
    server.close();
  }

  private static Run stat(String... arguments) {
    return run(new StatCommand(), arguments);
  }

  private static Run run(StatCommand command, String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exit =
        new CommandLine(command)
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(arguments);
    return new Run(exit, out.toString(), err.toString());
  }

  @Test
  void showsASessionOfAnotherProcessItsPathAndWhy() {
    try (VerbenaClient client = VerbenaClient.builder().build();
        Session session = client.connect(address)) {
      Run run = stat(Long.toString(server.process().pid()));
      assertThat(run.err()).isEmpty();
      assertThat(run.exit()).isZero();
      List<String> lines = run.out().lines().toList();
      assertThat(lines.getFirst()).isEqualTo("server at " + address);
      assertThat(lines).contains("  sessions  1");
      assertThat(lines).anyMatch(line -> line.matches("  slots in use  0 of [1-9][0-9,]+"));
      assertThat(run.out()).contains("pinned bytes").contains("quarantined").contains("published");
      assertThat(lines)
          .anyMatch(line -> line.matches(" +tcp://127.0.0.1:\\d+ .* (tcp|shm|rdma) \\(.+\\) .*"));
      assertThat(session.path().link()).isNotEqualTo("none");
    }
  }

  @Test
  void listsTheProcessesThatUseVerbena() {
    Run run = stat();
    assertThat(run.exit()).isZero();
    assertThat(run.out()).containsPattern("(?m)^" + server.process().pid() + " +.*demo-server");
  }

  @Test
  void saysWhyAProcessCannotBeAsked() throws Exception {
    Process gone = new ProcessBuilder("true").start();
    gone.waitFor();
    Run run = stat(Long.toString(gone.pid()));
    assertThat(run.exit()).isNotZero();
    assertThat(run.err()).contains("process " + gone.pid() + " is not a JVM of this user");
  }

  @Test
  void sendsNoSignalToAProcessThatIsNoJvm() throws Exception {
    Process other = new ProcessBuilder("sleep", "1000").start(); // SIGQUIT would end it
    try {
      Path program = Path.of(other.info().command().orElseThrow()).getFileName();
      Run run = stat(Long.toString(other.pid()));
      assertThat(run.exit()).isNotZero();
      assertThat(run.err())
          .contains("process %d (%s) is not a JVM of this user".formatted(other.pid(), program));
      assertThat(run.err()).as("its arguments may be secret").doesNotContain("1000");
      assertThat(other.waitFor(Duration.ofMillis(200))).as("it has ended").isFalse();
    } finally {
      other.destroyForcibly().onExit().join();
    }
  }

  @Test
  @Tag("long")
  void saysThatAProcessRefusesToBeAttachedTo() throws Exception {
    try (JavaProcess closed = demoServer("-XX:+DisableAttachMechanism")) {
      String pid = Long.toString(closed.process().pid());
      closed.line(); // it is up
      assertThat(stat().out()).containsPattern("process " + pid + " .*'verbena stat " + pid + "'");
      assertThat(stat(pid).err()).contains("without -XX:+DisableAttachMechanism");
    }
  }

  @Test
  @Timeout(60)
  @Tag("long")
  void doesNotWaitForAProcessThatIsStopped() throws Exception {
    StatCommand shortly = new StatCommand(Duration.ofMillis(500));
    try (JavaProcess stopped = demoServer("-XX:+UsePerfData")) {
      String pid = Long.toString(stopped.process().pid());
      stopped.line(); // it is up
      // Attached to once, it is connected to at once from then on, and never answers.
      assertThat(stat(pid).err()).isEmpty();
      stopped.freeze();
      assertThat(run(shortly).out()).containsPattern("process " + pid + " .*did not answer");
      Run one = run(shortly, pid);
      assertThat(one.exit()).isNotZero();
      assertThat(one.err()).contains("process " + pid + " did not answer", "kill -CONT " + pid);
    }
  }
}
