package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verbs.ext.GidEntry;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A choice of devices is a text, and what is no choice is refused where it is set. */
class DeviceChoiceTest {
  @Test
  void aTextMayNameAllThatIsToBeChosenBy() {
    String text =
        "device=mlx5_0,port=2,gid=3,type=roce-v2,family=ipv4,netdev=eth1,subnet=10.8.0.0/16";
    DeviceChoice choice = DeviceChoice.of(text);
    assertThat(choice)
        .isEqualTo(
            new DeviceChoice(
                "mlx5_0",
                2,
                3,
                GidEntry.Type.ROCE_V2,
                4,
                "eth1",
                new DeviceChoice.Subnet(InetAddress.ofLiteral("10.8.0.0"), 16)));
    assertThat(choice).hasToString(text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "mlx5_0 | device=mlx5_0",
        "mlx5_0:1 | device=mlx5_0,port=1",
        "rxe1, family=IPv6 | device=rxe1,family=ipv6",
        "'' | ''",
      })
  void aNameAloneIsADevices(String text, String whole) {
    assertThat(DeviceChoice.of(text)).hasToString(whole);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ",",
        "device=",
        "mlx5_0:",
        "mlx5_0:0",
        "port=256",
        "gid=-1",
        "gid=65536",
        "gid=x",
        "type=roce",
        "family=ipv5",
        "netdev=",
        "subnet=10.8.0.0",
        "subnet=10.8.0.0/33",
        "subnet=fd00::/129",
        "subnet=store.example/8",
        "speed=100"
      })
  void whatIsNoChoiceIsRefusedWithTheFormOfOne(String text) {
    assertThatThrownBy(() -> DeviceChoice.of(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("device is a device's name")
        .hasMessageEndingWith("not " + text);
  }

  @Test
  void aPropertyChoosesForAProgramThatDoesNot() {
    System.setProperty(RdmaSettings.DEVICE_PROPERTY, "netdev=eth1");
    try {
      assertThat(RdmaSettings.ofProperties().device()).isEqualTo(DeviceChoice.of("netdev=eth1"));
    } finally {
      System.clearProperty(RdmaSettings.DEVICE_PROPERTY);
    }
    assertThat(RdmaSettings.ofProperties()).isEqualTo(RdmaSettings.DEFAULT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"256", "-2", "EF"})
  void aTrafficClassThatIsNoneIsRefused(String text) {
    System.setProperty("verbena.rdma.traffic-class", "106");
    try {
      assertThat(RdmaSettings.ofProperties().trafficClass()).isEqualTo(106);
      System.setProperty("verbena.rdma.traffic-class", text);
      assertThatThrownBy(RdmaSettings::ofProperties)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("255, not " + text);
    } finally {
      System.clearProperty("verbena.rdma.traffic-class");
    }
  }
}
