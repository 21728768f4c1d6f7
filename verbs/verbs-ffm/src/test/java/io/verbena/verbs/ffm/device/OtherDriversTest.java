package io.verbena.verbs.ffm.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.ext.DeviceAttributes.Transport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files and attributes of drivers that no laboratory has. */
final class OtherDriversTest {
  private static final int DOWN = 1;
  private static final int INIT = 2;
  private static final int ACTIVE = 4;

  @TempDir
  @SuppressWarnings("NullAway.Init") // by JUnit
  Path folder;

  private void device(String name, String driver) throws IOException {
    Path drivers = Files.createDirectories(folder.resolve("drivers").resolve(driver));
    Path device = Files.createDirectories(folder.resolve("infiniband").resolve(name + "/device"));
    Files.createSymbolicLink(device.resolve("driver"), drivers);
  }

  /** As on AWS: nothing is opened that no connection can use. */
  @Test
  void devicesWithoutConnectionsAreLeftAlone() throws IOException {
    Path devices = folder.resolve("infiniband");
    assertThat(Devices.onlyWithoutConnections(devices)).isFalse();
    device("rdmap0s6", "efa");
    device("rdmap0s7", "efa");
    assertThat(Devices.onlyWithoutConnections(devices)).isTrue();
    assertThat(FfmContext.driverOf(devices.resolve("rdmap0s6"))).isEqualTo("efa");
    device("mlx5_0", "mlx5_core");
    assertThat(Devices.onlyWithoutConnections(devices)).isFalse();
  }

  @Test
  void aSoftwareDeviceHasNoDriversFolder() throws IOException {
    Files.createDirectories(folder.resolve("infiniband/rxe0"));
    assertThat(FfmContext.driverOf(folder.resolve("infiniband/rxe0"))).isEmpty();
    assertThat(Devices.onlyWithoutConnections(folder.resolve("infiniband"))).isFalse();
  }

  /** A safepoint does not wait for a command to the firmware. */
  @Test
  void pollsThatMakeASystemCallAreKnown() {
    assertThat(FfmContext.pollsBySystemCall("hns3")).isTrue();
    assertThat(FfmContext.pollsBySystemCall("mana")).isTrue();
    assertThat(FfmContext.pollsBySystemCall("mlx5_core")).isFalse();
    assertThat(FfmContext.pollsBySystemCall("")).isFalse();
  }

  /** Chelsio's port without an IPv4 address. */
  @Test
  void aPortOfIwarpCarriesTrafficInInit() {
    assertThat(DeviceQueries.carries(ACTIVE, Transport.INFINIBAND)).isTrue();
    assertThat(DeviceQueries.carries(INIT, Transport.INFINIBAND)).isFalse();
    assertThat(DeviceQueries.carries(INIT, Transport.IWARP)).isTrue();
    assertThat(DeviceQueries.carries(DOWN, Transport.IWARP)).isFalse();
  }
}
