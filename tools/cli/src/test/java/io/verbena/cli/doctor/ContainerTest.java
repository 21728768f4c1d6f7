package io.verbena.cli.doctor;

import static io.verbena.cli.doctor.FakeHost.in;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContainerTest {
  @TempDir private Path root;

  @Test
  void aPodIsKubernetesEvenThoughDockerRunsIt() {
    FakeHost fake =
        new FakeHost(root)
            .file("/.dockerenv")
            .file("/proc/self/cgroup", "0::/kubepods.slice/kubepods-pod1.slice/docker-2.scope");
    assertThat(Container.of(fake.files())).isEqualTo(Container.KUBERNETES);
  }

  @Test
  void knowsTheOthersByTheirMarks() {
    assertThat(Container.of(new FakeHost(root).files())).isEqualTo(Container.NONE);
    FakeHost lxc = new FakeHost(root).file("/proc/1/cgroup", "0::/lxc/web");
    assertThat(Container.of(lxc.files())).isEqualTo(Container.OTHER);
    FakeHost docker = new FakeHost(root).file("/.dockerenv");
    assertThat(Container.of(docker.files())).isEqualTo(Container.DOCKER);
    FakeHost podman = new FakeHost(root).file("/run/.containerenv");
    assertThat(Container.of(podman.files())).isEqualTo(Container.PODMAN);
  }

  @Test
  void missesTheDevicesThatTheContainerWasNotGiven() {
    FakeHost fake =
        new FakeHost(root).file("/.dockerenv").file("/sys/class/infiniband/mlx5_0/fw_ver", "1");
    assertThat(in(Container.DOCKER.section(fake.files()), "devices inside").cure())
        .contains("--device=/dev/infiniband", "--ulimit memlock=-1");
    fake.file("/dev/infiniband/rdma_cm");
    assertThat(Container.DOCKER.section(fake.files()).findings())
        .extracting(Finding::what)
        .containsExactly("container");
  }

  @Test
  void aLaboratoryMachineIsNoContainerThoughItsFilesAreOnes() {
    FakeHost fake =
        new FakeHost(root)
            .file("/.dockerenv")
            .file("/proc/self/environ", "HOME=/root\0LAB_NAME=a\0");
    assertThat(Container.of(fake.files())).isEqualTo(Container.NONE);
  }

  @Test
  void saysWhetherNamespacesShareDevices() {
    FakeHost fake = new FakeHost(root).file("/sys/module/ib_core/parameters/netns_mode", "N");
    assertThat(in(Container.NONE.section(fake.files()), "RDMA namespaces").detail())
        .startsWith("exclusive");
  }
}
