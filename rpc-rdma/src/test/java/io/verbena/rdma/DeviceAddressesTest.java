package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.verbena.verbs.ext.AsyncEvent;
import io.verbena.verbs.ext.DeviceAttributes;
import io.verbena.verbs.ext.Gid;
import io.verbena.verbs.ext.GidEntry;
import io.verbena.verbs.ext.HostAddress;
import io.verbena.verbs.ext.PortAttributes;
import io.verbena.verbs.ext.UnderDisni;
import io.verbena.verbs.ext.VerbsContext;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsProvider;
import io.verbena.verbs.ext.WaitSet;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A host with an InfiniBand device, whose two ports have an interface each in one network. */
final class DeviceAddressesTest {
  private static final long PREFIX = 0x2001_0db8_0000_0000L;
  private static final String IPOIB = "00:00:10:29:20:01:0d:b8:00:00:00:00:";

  static {
    UnderDisni.ensure();
  }

  /** Of an adapter with two ports; the second may be without a subnet manager. */
  private static class TwoPorts extends IbvContext implements VerbsContext {
    private final String name;
    private final boolean secondIsActive;

    TwoPorts(String name, boolean secondIsActive) throws IOException {
      super(1, 1);
      this.name = name;
      this.secondIsActive = secondIsActive;
    }

    @Override
    public VerbsProvider provider() {
      throw new UnsupportedOperationException();
    }

    @Override
    public String deviceName() {
      return name;
    }

    @Override
    public DeviceAttributes queryDevice() {
      return new DeviceAttributes(
          name,
          "1",
          DeviceAttributes.Transport.INFINIBAND,
          1,
          0,
          DeviceAttributes.AtomicCapability.NONE,
          1,
          1,
          1,
          1,
          1,
          1,
          1,
          1,
          0,
          0,
          0,
          0,
          0,
          0,
          2);
    }

    @Override
    public PortAttributes queryPort(int port) {
      return new PortAttributes(port == 1 || secondIsActive, 4096, 4096, 1, 8, 1, false);
    }

    @Override
    public GidEntry queryGid(int port, int index) {
      Gid gid = index == 0 ? new Gid(PREFIX, port) : new Gid(0, 0);
      return new GidEntry(gid, GidEntry.Type.IB, "");
    }

    @Override
    public GidEntry.Type connectsBy(int port) {
      return GidEntry.Type.IB;
    }

    @Override
    public @Nullable AsyncEvent nextAsyncEvent(long timeoutNanos) {
      return null;
    }
  }

  /** Of an adapter whose port containers share; most of them have ended. */
  private static final class Shared extends TwoPorts {
    private static final int ANOTHERS = 3;
    private static final int OURS = 203;

    Shared() throws IOException {
      super("mlx5_0", true);
    }

    @Override
    public PortAttributes queryPort(int port) {
      return new PortAttributes(true, 4096, 4096, 1, 255, 0, true);
    }

    @Override
    public GidEntry queryGid(int port, int index) {
      return port == 1 && (index == ANOTHERS || index == OURS)
          ? new GidEntry(new Gid(0, 0xffff_0a08_0000L + index), GidEntry.Type.ROCE_V2, "net1")
          : new GidEntry(new Gid(0, 0), GidEntry.Type.IB, "");
    }

    @Override
    public GidEntry.Type connectsBy(int port) {
      return GidEntry.Type.ROCE_V2;
    }
  }

  private record Host(List<IbvContext> devices, List<HostAddress> hostAddresses)
      implements VerbsProvider {
    @Override
    public String name() {
      return "a host";
    }

    @Override
    public Optional<VerbsException> problem() {
      return Optional.empty();
    }

    @Override
    public RdmaEventChannel createEventChannel() {
      throw new UnsupportedOperationException();
    }

    @Override
    public WaitSet newWaitSet() {
      throw new UnsupportedOperationException();
    }
  }

  private static HostAddress address(String netdev, String hardware, String address) {
    return new HostAddress(netdev, hardware, InetAddress.ofLiteral(address), 24);
  }

  private static VerbsProvider host(boolean secondIsActive) throws IOException {
    return host(new TwoPorts("mlx5_0", secondIsActive));
  }

  private static VerbsProvider host(IbvContext... devices) {
    return new Host(
        List.of(devices),
        List.of(
            address("eth0", "52:54:00:12:34:56", "10.8.0.1"),
            address("ib0", IPOIB + "00:00:00:00:00:00:00:01", "10.8.0.11"),
            address("ib1", IPOIB + "00:00:00:00:00:00:00:02", "10.8.0.12")));
  }

  private static List<String> used(VerbsProvider host, String choice) throws IOException {
    return DeviceAddresses.of(host, DeviceChoice.of(choice)).stream()
        .filter(DeviceAddress::isUsed)
        .map(DeviceAddress::toString)
        .toList();
  }

  @Test
  void anAddressIsOfThePortWhoseGidItsInterfaceHas() throws Exception {
    String first = "mlx5_0 port 1: 10.8.0.11, ib0";
    String second = "mlx5_0 port 2: 10.8.0.12, ib1";
    assertThat(used(host(true), "")).containsExactly(first, second);
    assertThat(used(host(true), "mlx5_0")).containsExactly(first, second);
    assertThat(used(host(true), "mlx5_0:1")).containsExactly(first);
    assertThat(used(host(true), "port=2")).containsExactly(second);
    assertThat(used(host(true), "mlx5_1")).isEmpty();
    assertThat(used(host(false), "mlx5_0")).containsExactly(first);
  }

  /** As of an adapter's and siw's on one interface: the kernel takes one, and binding tells. */
  @Test
  void anInterfaceMayLeadToPortsOfTwoDevices() throws Exception {
    VerbsProvider both = host(new TwoPorts("irdma0", true), new TwoPorts("siw0", true));
    assertThat(used(both, "port=1")).containsExactly("irdma0 port 1: 10.8.0.11, ib0");
    assertThat(used(both, "siw0:1")).containsExactly("siw0 port 1: 10.8.0.11, ib0");
  }

  /** Binding to it would fail, and a peer with an IPv6 address would be set out to from it. */
  @Test
  void aGidOfInfinibandIsNoAddressThoughItsPrefixReachesFar() throws Exception {
    VerbsProvider bare = new Host(List.of(new TwoPorts("mlx5_0", true)), List.of());
    List<DeviceAddress> all = DeviceAddresses.of(bare, DeviceChoice.of("mlx5_0"));
    assertThat(all).hasSize(2).noneMatch(DeviceAddress::isUsed);
    assertThat(DeviceAddresses.towards(InetAddress.ofLiteral("2001:db8::7"), all)).isNull();
    assertThat(DeviceAddresses.problem(bare, DeviceChoice.of("mlx5_0"), all))
        .endsWith("mlx5_0 port 2 GID 0: 2001:db8:0:0:0:0:0:2 (a GID that is no IP address)");
  }

  @Test
  void anAddressIsFoundBehindManyThatAreGoneAndAnotherContainersIsNotUsed() throws Exception {
    VerbsProvider container =
        new Host(
            List.of(new Shared()), List.of(address("net1", "52:54:00:12:34:56", "10.8.0.203")));
    assertThat(used(container, ""))
        .containsExactly("mlx5_0 port 1 GID 203: 10.8.0.203, RoCE v2, net1");
    assertThat(DeviceAddresses.of(container, DeviceChoice.ANY).getFirst().objection())
        .isEqualTo("no network interface here has it");
  }
}
