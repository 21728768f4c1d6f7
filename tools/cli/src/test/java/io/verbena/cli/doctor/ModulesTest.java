package io.verbena.cli.doctor;

import static io.verbena.cli.doctor.FakeHost.RELEASE;
import static io.verbena.cli.doctor.FakeHost.in;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.cli.doctor.Finding.Mark;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModulesTest {
  @TempDir private Path root;

  private Section look(FakeHost fake) {
    return new Modules(fake.files(), Container.of(fake.files())).section();
  }

  @Test
  void tellsLoadedBuiltInAndLoadableApart() {
    FakeHost fake =
        new FakeHost(root)
            .loaded("ib_core", "rdma_cm")
            .onDisk("modules.builtin", "kernel/drivers/infiniband/core/ib_uverbs.ko")
            .onDisk(
                "modules.dep", "kernel/drivers/infiniband/core/rdma_ucm.ko.xz: a.ko.xz b.ko.xz");
    Section section = look(fake);
    assertThat(section.title()).isEqualTo("Kernel " + RELEASE);
    assertThat(in(section, "ib_core")).isEqualTo(Finding.ok("ib_core", "loaded"));
    assertThat(in(section, "ib_uverbs")).isEqualTo(Finding.ok("ib_uverbs", "built in"));
    assertThat(in(section, "rdma_ucm"))
        .isEqualTo(Finding.missing("rdma_ucm", "not loaded", "modprobe rdma_ucm"));
  }

  @Test
  void aModuleThatAnotherDependsOnIsNotTakenForOneOfItsOwn() {
    FakeHost fake =
        new FakeHost(root)
            .loaded("rdma_cm")
            .onDisk("modules.dep", "kernel/siw.ko: kernel/core/ib_core.ko");
    assertThat(in(look(fake), "ib_core").detail()).isEqualTo("not in this kernel");
  }

  @Test
  void curesAMissingDriverOnTheNetworkDeviceOfTheDefaultRoute() {
    FakeHost fake =
        new FakeHost(root)
            .onDisk("modules.dep", "kernel/drivers/infiniband/sw/rxe/rdma_rxe.ko:")
            .file(
                "/proc/net/route",
                "Iface\tDestination\tGateway",
                "docker0\t000011AC\t00000000",
                "ens3\t00000000\t0100000A");
    assertThat(in(look(fake), "a driver").cure())
        .isEqualTo("modprobe rdma_rxe && rdma link add rxe0 type rxe netdev ens3");
  }

  @Test
  void aDeviceThatIsThereHasItsDriverInTheKernel() {
    FakeHost fake = new FakeHost(root).file("/dev/infiniband/uverbs0");
    assertThat(in(look(fake), "drivers").mark()).isEqualTo(Mark.NOTE);
  }

  @Test
  void aContainersModulesAreLoadedOnTheHost() {
    FakeHost fake =
        new FakeHost(root)
            .file("/.dockerenv")
            .onDisk("modules.dep", "kernel/rdma_rxe.ko:", "kernel/ib_core.ko:");
    assertThat(in(look(fake), "ib_core").cure()).isEqualTo("on the host: modprobe ib_core");
    assertThat(in(look(fake), "a driver").cure()).startsWith("on the host: modprobe rdma_rxe && ");
  }

  @Test
  void aKernelWithoutThemLeadsToUbuntusPackageOrTheLaboratory() {
    Section section = look(new FakeHost(root));
    assertThat(in(section, "RDMA").detail()).contains("ib_core", "rdma_ucm");
    assertThat(in(section, "a driver").cure()).contains("./verbena lab");
    FakeHost ubuntu = new FakeHost(root).file("/etc/os-release", "NAME=\"Ubuntu\"", "ID=ubuntu");
    assertThat(in(look(ubuntu), "a driver").cure())
        .isEqualTo("apt-get install linux-modules-extra-" + RELEASE);
  }

  @Test
  void aWorkingDeviceFileSpeaksForModulesThatNothingLists() {
    FakeHost fake = new FakeHost(root).file("/dev/infiniband/rdma_cm");
    assertThat(in(look(fake), "rdma_ucm").mark()).isEqualTo(Mark.NOTE);
  }

  @Test
  void namesTheDriversThatAreLoaded() {
    FakeHost fake = new FakeHost(root).loaded("mlx5_ib", "rdma_rxe");
    assertThat(in(look(fake), "drivers")).isEqualTo(Finding.ok("drivers", "rdma_rxe, mlx5_ib"));
  }
}
