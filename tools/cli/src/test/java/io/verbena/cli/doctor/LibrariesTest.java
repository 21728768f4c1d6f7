package io.verbena.cli.doctor;

import static io.verbena.cli.doctor.FakeHost.in;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.cli.doctor.Finding.Mark;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LibrariesTest {
  @TempDir private Path root;

  @Test
  void readsTheVersionFromTheFileThatWasMapped() {
    FakeHost fake =
        new FakeHost(root)
            .file(
                "/proc/self/maps",
                "7f0000000000-7f0000001000 r--p 00000000 08:01 42   /usr/lib/libibverbs.so.1.14.44.0",
                "7f0000001000-7f0000002000 r-xp 00001000 08:01 42   /usr/lib/libibverbs.so.1.14.44.0");
    Section section = new Libraries(fake.files(), soname -> true).section();
    assertThat(in(section, "libibverbs.so.1"))
        .isEqualTo(
            Finding.ok("libibverbs.so.1", "rdma-core 44 (/usr/lib/libibverbs.so.1.14.44.0)"));
    assertThat(in(section, "librdmacm.so.1")).isEqualTo(Finding.ok("librdmacm.so.1", "loaded"));
  }

  @Test
  void namesThePackageOfALibraryThatIsNotThere() {
    Section section =
        new Libraries(new FakeHost(root).files(), soname -> !soname.startsWith("librdmacm"))
            .section();
    assertThat(in(section, "libibverbs.so.1").mark()).isEqualTo(Mark.OK);
    assertThat(in(section, "librdmacm.so.1").cure()).startsWith("apt-get install librdmacm1");
  }

  @Test
  void namesTheDevicesThatTheLibraryKnows() {
    FakeHost fake = new FakeHost(root);
    assertThat(in(new Libraries(fake.files(), soname -> true).section(), "device libraries").cure())
        .startsWith("apt-get install ibverbs-providers");
    fake.file("/etc/libibverbs.d/rxe.driver", "driver rxe")
        .file("/etc/libibverbs.d/mlx5.driver", "driver mlx5");
    assertThat(in(new Libraries(fake.files(), soname -> true).section(), "device libraries"))
        .isEqualTo(Finding.ok("device libraries", "mlx5, rxe"));
  }
}
