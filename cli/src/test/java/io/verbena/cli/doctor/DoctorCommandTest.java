package io.verbena.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.core.VerbenaServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The command on the machine that runs the test, whatever that has. */
class DoctorCommandTest {
  private record Run(int exit, List<String> out) {}

  private static Run doctor(String... arguments) {
    StringWriter out = new StringWriter();
    int exit = new CommandLine(new DoctorCommand()).setOut(new PrintWriter(out)).execute(arguments);
    return new Run(exit, out.toString().lines().toList());
  }

  @Test
  void endsWithThePathAndItsExitStatusSaysTheSame() {
    Run run = doctor();
    assertThat(run.out()).contains("Program", "Libraries", "Verbs devices", "Limits", "Container");
    assertThat(run.out().getLast()).matches("path: (tcp|rdma) \\(.+\\).*");
    assertThat(run.exit()).isEqualTo(run.out().getLast().startsWith("path: rdma") ? 0 : 1);
  }

  @Test
  void opensASessionWithAServerAndSaysWhichPathItGot() throws IOException {
    try (VerbenaServer server = VerbenaServer.builder().listen("127.0.0.1:0").start()) {
      Run run = doctor("--wait", "1", server.address().toString());
      assertThat(run.out()).anyMatch(line -> line.matches("  opened in \\d+ ms"));
      assertThat(run.out().getLast()).matches("path: (tcp|rdma) \\(.+\\)");
      assertThat(run.exit()).isEqualTo(run.out().getLast().startsWith("path: rdma") ? 0 : 1);
    }
  }

  @Test
  void aServerThatIsNotThereFailsWithItsAddress() throws IOException {
    int free;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      free = socket.getLocalPort();
    }
    CommandLine command = new CommandLine(new DoctorCommand());
    StringWriter err = new StringWriter();
    int exit =
        command
            .setOut(new PrintWriter(new StringWriter()))
            .setErr(new PrintWriter(err))
            .execute("127.0.0.1:" + free);
    assertThat(exit).isEqualTo(1);
    assertThat(err.toString()).contains("no session with 127.0.0.1:" + free);
  }
}
