package io.verbena.cli.doctor;

import static io.verbena.cli.doctor.FakeHost.in;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.cli.doctor.Finding.Mark;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeviceFilesTest {
  @TempDir private Path root;

  private Section look(FakeHost fake) {
    Container container = Container.of(fake.files());
    return new DeviceFiles(fake.files(), container, new Modules(fake.files(), container)).section();
  }

  @Test
  void findsTheConnectionManagersFileAndEachDevices() {
    FakeHost fake =
        new FakeHost(root)
            .file("/dev/infiniband/rdma_cm")
            .file("/dev/infiniband/uverbs0")
            .file("/dev/infiniband/uverbs1");
    Section section = look(fake);
    assertThat(section.has(Mark.MISSING)).isFalse();
    assertThat(section.findings())
        .extracting(Finding::what)
        .containsExactly("rdma_cm", "uverbs0", "uverbs1");
  }

  @Test
  void withoutTheKernelsModulesThoseComeFirst() {
    assertThat(in(look(new FakeHost(root)), "rdma_cm").cure())
        .isEqualTo("needs the kernel module rdma_ucm; see Kernel");
  }

  @Test
  void aDeviceIsMadeOrPassedToTheContainer() {
    FakeHost fake = new FakeHost(root).loaded("ib_uverbs", "rdma_ucm", "rdma_rxe");
    assertThat(in(look(fake), "uverbs0").cure())
        .startsWith("rdma link add rxe0 type rxe netdev eth0");
    fake.file("/run/.containerenv");
    assertThat(in(look(fake), "uverbs0").cure()).contains("podman run --device=/dev/infiniband");
  }
}
