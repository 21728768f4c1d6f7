package io.verbena.verbs.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvContext;
import io.verbena.verbs.ext.DeviceAttributes;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.GidEntry;
import io.verbena.verbs.ext.PortAttributes;
import io.verbena.verbs.ext.VerbsContext;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The attributes of a device. */
public abstract class DeviceSuite extends VerbsSuite {
  @Test
  void tellsWhatItCanDo() throws Exception {
    for (IbvContext context : harness.passive().devices()) {
      DeviceAttributes attributes = VerbsContext.of(context).queryDevice();
      assertThat(attributes.name()).isNotBlank();
      assertThat(attributes.name()).isEqualTo(VerbsContext.of(context).deviceName());
      assertThat(attributes.maxQps()).isPositive();
      assertThat(attributes.maxQpRequests()).isGreaterThanOrEqualTo(16);
      assertThat(attributes.maxSges()).isGreaterThanOrEqualTo(2);
      assertThat(attributes.maxMrLength()).isGreaterThanOrEqualTo(1L << 31);
      assertThat(attributes.ports()).isPositive();
    }
  }

  @Test
  void hasAnActivePort() throws Exception {
    for (IbvContext context : harness.passive().devices()) {
      PortAttributes port = VerbsContext.of(context).queryPort(1);
      assertThat(port.active()).isTrue();
      assertThat(port.activeMtu()).isIn(256, 512, 1024, 2048, 4096);
      assertThat(port.maxMessageSize()).isGreaterThanOrEqualTo(1 << 20);
      assertFails(() -> VerbsContext.of(context).queryPort(77), Errno.EINVAL);
    }
  }

  @Test
  void hasItsAddressesAsGids() throws Exception {
    List<InetAddress> addresses = new ArrayList<>();
    for (IbvContext context : harness.passive().devices()) {
      VerbsContext device = VerbsContext.of(context);
      int length = device.queryPort(1).gidTableLength();
      for (int i = 0; i < length; i++) {
        GidEntry entry = device.queryGid(1, i);
        if (!entry.gid().isEmpty() && entry.type() == device.connectsBy(1)) {
          addresses.add(entry.gid().toAddress());
          assertThat(entry.netdev()).isNotEmpty();
        }
      }
      assertFails(() -> device.queryGid(1, 1 << 20), Errno.EINVAL);
    }
    assertThat(addresses).contains(harness.address());
  }
}
