package io.verbena.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.rdma.RdmaSettings;
import io.verbena.verbs.fabric.DeviceProfile;
import io.verbena.verbs.fabric.Fabric;
import io.verbena.verbs.fabric.FabricHost;
import io.verbena.verbs.fabric.Personality;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class DeviceTrialTest {
  private static Section trial(DeviceProfile profile) {
    try (Fabric fabric = Fabric.threaded(7)) {
      FabricHost host = fabric.addHost("a", profile, InetAddress.ofLiteral("10.9.0.1"));
      return new DeviceTrial(host, RdmaSettings.DEFAULT, host.adapter().deviceName()).run();
    }
  }

  @Test
  void everyStepPassesOnTheCommonestAdapter() {
    everyStepPassesOn(Personality.MLX5);
  }

  @Tag("long")
  @ParameterizedTest
  @EnumSource(names = {"MANA", "SIW", "IRDMA_ROCE", "ERDMA_IWARP", "IONIC"})
  void everyStepPassesOn(Personality adapter) {
    Section section = trial(adapter.profile());
    assertThat(section.findings()).allMatch(one -> one.mark() == Finding.Mark.OK);
    assertThat(section.findings())
        .extracting(Finding::what)
        .containsExactly(
            "a link",
            "calls",
            "large values",
            "objects",
            "regions",
            "a still reader",
            "links",
            "counters");
  }

  @Test
  void aTrialIsGivenUpWhenItsTimeIsOver() throws Exception {
    try (Fabric fabric = Fabric.threaded(7)) {
      FabricHost host =
          fabric.addHost("a", DeviceProfile.full(), InetAddress.ofLiteral("10.9.0.1"));
      String device = host.adapter().deviceName();
      Section section =
          new DeviceTrial(host, RdmaSettings.DEFAULT, device, Duration.ofMillis(1)).run();
      assertThat(section.has(Finding.Mark.MISSING)).isTrue();
      assertThat(section.findings().getLast().detail())
          .isEqualTo("not over when the trial had taken 1 ms");
    }
  }

  @Test
  void aDeviceThatMakesNoLinkIsAFindingWithItsReason() {
    Section section = trial(DeviceProfile.full().withMemlock(64 << 10));
    assertThat(section.findings()).hasSize(1);
    assertThat(section.has(Finding.Mark.MISSING)).isTrue();
    assertThat(section.findings().getFirst().detail()).contains("ENOMEM");
  }

  @Test
  void theReportHasNoVariablesAndReplacesNoFile(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("issue.txt");
    try (Fabric fabric = Fabric.threaded(7)) {
      FabricHost host =
          fabric.addHost("a", DeviceProfile.full(), InetAddress.ofLiteral("10.9.0.1"));
      IssueReport report = new IssueReport(new Host(Path.of("/")), host, RdmaSettings.DEFAULT);
      List<Section> sections = List.of(new Section("Part", List.of(Finding.ok("a", "b"))));
      report.write(file, sections, "path: rdma");
      assertThat(Files.readString(file))
          .contains("JDK ", "Part", "DeviceAttributes[", "port 1: ", "RdmaSettings[")
          .doesNotContain(System.getenv("PATH"));
      assertThatThrownBy(() -> report.write(file, sections, ""))
          .isInstanceOf(FileAlreadyExistsException.class);
    }
  }
}
