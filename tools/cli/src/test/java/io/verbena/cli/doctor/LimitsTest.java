package io.verbena.cli.doctor;

import static io.verbena.cli.doctor.FakeHost.in;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.cli.doctor.Finding.Mark;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LimitsTest {
  private static final String NO_CAPABILITY = "CapEff:\t0000000000000000";
  private static final String IPC_LOCK = "CapEff:\t0000000000004000";

  @TempDir private Path root;

  private FakeHost locking(String limit, String capabilities) {
    return new FakeHost(root)
        .file(
            "/proc/self/limits",
            "Limit                     Soft Limit           Hard Limit           Units     ",
            "Max locked memory         " + limit + "              unlimited            bytes     ")
        .file("/proc/self/status", "Name:\tjava", capabilities);
  }

  private Section look(FakeHost fake) {
    return new Limits(fake.files(), Container.of(fake.files())).section();
  }

  private Finding lockedMemory(FakeHost fake) {
    return in(look(fake), "locked memory");
  }

  @Test
  void lessThanOneSessionNeedsIsMissing() {
    Finding finding = lockedMemory(locking("65536", NO_CAPABILITY));
    assertThat(finding.mark()).isEqualTo(Mark.MISSING);
    assertThat(finding.detail()).contains("64 KiB", "ulimit -l 64)");
    assertThat(finding.cure()).contains("ulimit -l unlimited", "LimitMEMLOCK=infinity");
  }

  @Test
  void lessThanABusyServerWantsIsLow() {
    assertThat(lockedMemory(locking("8388608", NO_CAPABILITY)).mark()).isEqualTo(Mark.LOW);
    assertThat(lockedMemory(locking("536870912", NO_CAPABILITY)).mark()).isEqualTo(Mark.OK);
    assertThat(lockedMemory(locking("unlimited", NO_CAPABILITY)))
        .isEqualTo(Finding.ok("locked memory", "unlimited"));
  }

  @Test
  void aCapabilityOfTheFirstUserNamespaceLiftsTheLimit() {
    FakeHost fake = locking("65536", IPC_LOCK);
    assertThat(lockedMemory(fake).detail()).contains("CAP_IPC_LOCK");
    fake.file("/proc/self/uid_map", "         0          0 4294967295");
    assertThat(lockedMemory(fake).mark()).isEqualTo(Mark.OK);
    fake.file("/proc/self/uid_map", "         0     100000      65536");
    assertThat(lockedMemory(fake).mark()).isEqualTo(Mark.MISSING);
  }

  @Test
  void aContainersLimitIsRaisedWhereItIsStarted() {
    FakeHost fake = locking("65536", NO_CAPABILITY).file("/.dockerenv");
    assertThat(lockedMemory(fake).cure()).contains("--ulimit memlock=-1");
  }

  @Test
  void aPodsLimitIsRaisedAtTheRuntimeOfItsNode() {
    FakeHost pod = locking("8388608", NO_CAPABILITY).file("/proc/1/cgroup", "0::/kubepods/a");
    assertThat(lockedMemory(pod).mark()).isEqualTo(Mark.LOW);
    assertThat(lockedMemory(pod).cure())
        .startsWith("on the node: LimitMEMLOCK=infinity")
        .endsWith("IPC_LOCK only helps a container that runs as root");
  }

  @Test
  void aCapabilityThatIsNotEffectiveIsNoCure() {
    FakeHost pod =
        locking("65536", NO_CAPABILITY + "\n" + IPC_LOCK.replace("CapEff", "CapBnd"))
            .file("/proc/1/cgroup", "0::/kubepods/a");
    assertThat(lockedMemory(pod).mark()).isEqualTo(Mark.MISSING);
    assertThat(lockedMemory(pod).cure())
        .startsWith("on the node: LimitMEMLOCK=infinity")
        .endsWith(
            "IPC_LOCK was added to the container, but has no effect, because this process is not root");
  }

  @Test
  void theLowestMemoryLimitOfTheGroupsAroundCounts() {
    FakeHost fake =
        new FakeHost(root)
            .file("/proc/self/cgroup", "0::/system.slice/store.service")
            .file("/sys/fs/cgroup/system.slice/store.service/memory.max", "max")
            .file("/sys/fs/cgroup/system.slice/memory.max", "2147483648");
    assertThat(in(look(fake), "cgroup memory").detail()).startsWith("2 GiB");
  }

  @Test
  void readsTheFirstVersionOfControlGroupsToo() {
    FakeHost fake =
        new FakeHost(root)
            .file("/proc/self/cgroup", "5:cpu,memory:/app", "4:rdma:/app", "0::/")
            .file("/sys/fs/cgroup/memory/app/memory.limit_in_bytes", "1073741824")
            .file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712")
            .file("/sys/fs/cgroup/rdma/app/rdma.max", "rxe0 hca_handle=2 hca_object=2000");
    assertThat(in(look(fake), "cgroup rdma").detail()).startsWith("rxe0 hca_handle=2");
    assertThat(in(look(fake), "cgroup rdma").mark()).isEqualTo(Mark.NOTE);
  }

  @Test
  void noObjectsAllowedIsMissing() {
    FakeHost fake =
        new FakeHost(root)
            .file("/proc/self/cgroup", "0::/a")
            .file("/sys/fs/cgroup/a/rdma.max", "rxe0 hca_handle=0 hca_object=max");
    assertThat(in(look(fake), "cgroup rdma").mark()).isEqualTo(Mark.MISSING);
    fake.file("/sys/fs/cgroup/a/rdma.max", "rxe0 hca_handle=max hca_object=max");
    assertThat(look(fake).findings()).extracting(Finding::what).doesNotContain("cgroup rdma");
  }
}
