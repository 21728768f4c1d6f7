package io.verbena.verbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostAddressesTest {
  /** Java has six bytes of it, the kernel's files all twenty. */
  @Test
  void anAddressHasTheWholeHardwareAddressOfItsInterface(@TempDir Path folder) throws Exception {
    String hardware = "00:00:10:29:fe:80:00:00:00:00:00:00:b8:ce:f6:03:00:a1:b2:c3";
    Files.createDirectories(folder.resolve("lo"));
    Files.writeString(folder.resolve("lo/address"), hardware + "\n");
    assertThat(HardwareAddresses.of(folder))
        .filteredOn(one -> one.netdev().equals("lo") && one.bits() == 8)
        .singleElement()
        .satisfies(
            one -> {
              assertThat(one.hardware()).isEqualTo(hardware);
              assertThat(one.address().getHostAddress()).isEqualTo("127.0.0.1");
            });
  }

  @Test
  void anInterfaceThatTheKernelsFilesDoNotShowHasNone(@TempDir Path empty) throws Exception {
    assertThat(HardwareAddresses.of(empty))
        .isNotEmpty()
        .allSatisfy(one -> assertThat(one.hardware()).isEmpty());
  }
}
