package io.verbena.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.core.VerbenaServer;
import io.verbena.link.UpgradeProvider;
import io.verbena.link.runtime.NanoClock;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.RdmaUpgradeProvider;
import io.verbena.verbs.fabric.DeviceProfile;
import io.verbena.verbs.fabric.Fabric;
import io.verbena.verbs.fabric.FabricHost;
import io.verbena.verbs.fabric.Personality;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command on the machine that runs the test, whatever that has, and on one with a device. */
class DoctorCommandTest {
  private record Run(int exit, List<String> out) {}

  private static Run doctor(String... arguments) {
    return run(new DoctorCommand(), arguments);
  }

  private static Run run(DoctorCommand command, String... arguments) {
    StringWriter out = new StringWriter();
    int exit = new CommandLine(command).setOut(new PrintWriter(out)).execute(arguments);
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
  void aServerWithAnAuthenticatorIsShownTheToken(@TempDir Path folder) throws IOException {
    Path token = Files.writeString(folder.resolve("token"), "secret\n");
    try (VerbenaServer server =
        VerbenaServer.builder()
            .authenticator(shown -> shown.token())
            .listen("127.0.0.1:0")
            .start()) {
      String address = server.address().toString();
      assertThat(doctor("--wait", "0", address).out()).noneMatch(line -> line.contains("opened"));
      Run known = doctor("--wait", "0", "--token-file", token.toString(), address);
      assertThat(known.out()).anyMatch(line -> line.matches("  opened in \\d+ ms"));
    }
  }

  @Test
  void aSessionWithAServerThatHasADeviceTooRidesTheOneThatWasFound(@TempDir Path root)
      throws IOException {
    try (Fabric fabric = Fabric.threaded(5)) {
      FabricHost here = fabric.addHost("east", InetAddress.ofLiteral("10.9.0.1"));
      FabricHost there = fabric.addHost("west", InetAddress.ofLiteral("10.9.0.2"));
      Doctor doctor =
          new Doctor(
              new FakeHost(root).files(), soname -> true, here, link(here), RdmaSettings.DEFAULT);
      String device = doctor.examine().prospect().reason();
      try (VerbenaServer server =
          VerbenaServer.builder().listen("127.0.0.1:0").upgrades(link(there)).start()) {
        String address = server.address().toString();
        Run run = run(new DoctorCommand(() -> doctor), "--wait", "40", address);
        assertThat(run.out())
            .contains("Session with " + address)
            .anyMatch(line -> line.matches("  upgraded within \\d+ ms"));
        assertThat(run.out().getLast()).isEqualTo("path: rdma (" + device + " at 10.9.0.1)");
        assertThat(run.exit()).isZero();
      }
    }
  }

  @Test
  void aSessionWhoseNetworkLetsNoRdmaPassSaysWhy(@TempDir Path root) throws IOException {
    try (Fabric fabric = Fabric.threaded(6)) {
      FabricHost here = fabric.addHost("east", InetAddress.ofLiteral("10.9.0.1"));
      FabricHost there = fabric.addHost("west", InetAddress.ofLiteral("10.9.0.2"));
      fabric.cut(here, there);
      Doctor doctor =
          new Doctor(
              new FakeHost(root).files(), soname -> true, here, link(here), RdmaSettings.DEFAULT);
      try (VerbenaServer server =
          VerbenaServer.builder().listen("127.0.0.1:0").upgrades(link(there)).start()) {
        Run run = run(new DoctorCommand(() -> doctor), "--wait", "4", server.address().toString());
        assertThat(run.out().getLast()).startsWith("path: tcp").contains("upgrade failed: ");
        assertThat(run.exit()).isEqualTo(1);
      }
    }
  }

  @Test
  void aDeviceWhoseTrialFailsIsNamedWithItsPathAndInTheReport(@TempDir Path root)
      throws IOException {
    try (Fabric fabric = Fabric.threaded(7)) {
      FabricHost host =
          fabric.addHost("a", Personality.EFA.profile(), InetAddress.ofLiteral("10.9.0.1"));
      Doctor doctor =
          new Doctor(
              new FakeHost(root).files(), soname -> true, host, link(host), RdmaSettings.DEFAULT);
      Path report = root.resolve("issue.txt");
      Run run = run(new DoctorCommand(() -> doctor), "--try", "--report", report.toString());
      assertThat(run.out()).anyMatch(line -> line.contains(" neither InfiniBand verbs nor iWARP"));
      String last = run.out().getLast();
      assertThat(last).startsWith("path: rdma (").endsWith("; a trial failed, see above");
      assertThat(Files.readString(report)).contains(last);
      assertThat(run.exit()).isEqualTo(1);
    }
  }

  @Test
  void withoutAUsableDeviceNothingIsTried(@TempDir Path root) {
    try (Fabric fabric = Fabric.threaded(8)) {
      FabricHost host =
          fabric.addHost(
              "a", DeviceProfile.full().withMemlock(64 << 10), InetAddress.ofLiteral("10.9.0.1"));
      Doctor doctor =
          new Doctor(
              new FakeHost(root).files(), soname -> true, host, link(host), RdmaSettings.DEFAULT);
      Run run = run(new DoctorCommand(() -> doctor), "--try");
      assertThat(run.out()).contains("Trial").anyMatch(line -> line.contains("none, because no"));
      assertThat(run.exit()).isEqualTo(1);
    }
  }

  @Test
  void aReportThatCouldNotBeWrittenIsRefusedBeforeAnythingIsLookedAt(@TempDir Path folder)
      throws IOException {
    Path there = Files.writeString(folder.resolve("issue.txt"), "mine");
    DoctorCommand never =
        new DoctorCommand(
            () -> {
              throw new IllegalStateException("looked");
            });
    assertThatThrownBy(() -> refused(never, there)).hasMessageContaining("name a file that does");
    assertThatThrownBy(() -> refused(never, folder.resolve("no").resolve("issue.txt")))
        .hasMessageContaining("no folder ");
    assertThat(there).hasContent("mine");
  }

  private static void refused(DoctorCommand command, Path report) throws Exception {
    new CommandLine(command).parseArgs("--report", report.toString());
    int _ = command.call();
  }

  private static UpgradeProvider link(FabricHost host) {
    return new RdmaUpgradeProvider(host, RdmaSettings.DEFAULT, NanoClock.SYSTEM);
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
