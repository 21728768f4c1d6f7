package io.verbena.verbs.ext;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import org.junit.jupiter.api.Test;

/** The connection manager finds a port that is no RoCE by an interface's hardware address. */
class HostAddressTest {
  private static boolean leadsTo(String hardware, long high, long low) {
    InetAddress address = InetAddress.ofLiteral("10.8.0.7");
    return new HostAddress("net0", hardware, address, 24).leadsTo(new Gid(high, low));
  }

  @Test
  void theGidOfAnIwarpPortBeginsWithTheHardwareAddress() {
    assertThat(leadsTo("52:54:00:12:34:56", 0x525400123456_0000L, 0)).isTrue();
    assertThat(leadsTo("52:54:00:12:34:57", 0x525400123456_0000L, 0)).isFalse();
    assertThat(leadsTo("52:54:00:12:34:56", 0x525400123456_0000L, 1)).isFalse();
  }

  @Test
  void theHardwareAddressOfAnIpoibInterfaceEndsWithTheGid() {
    String ib0 = "00:00:10:29:fe:80:00:00:00:00:00:00:b8:ce:f6:03:00:a1:b2:c3";
    assertThat(leadsTo(ib0, 0xfe80_0000_0000_0000L, 0xb8ce_f603_00a1_b2c3L)).isTrue();
    assertThat(leadsTo(ib0, 0xfe80_0000_0000_0000L, 0xb8ce_f603_00a1_b2c4L)).isFalse();
  }

  @Test
  void noHardwareAddressLeadsNowhere() {
    assertThat(leadsTo("", 0, 0)).isFalse();
    assertThat(leadsTo("00:00:00:00:00:00", 0, 0)).isFalse();
    assertThat(leadsTo("10.7.0.1", 0x0a07_0001_0000_0000L, 0)).isFalse();
  }
}
