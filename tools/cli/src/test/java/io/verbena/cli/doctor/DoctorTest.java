package io.verbena.cli.doctor;

import static io.verbena.cli.doctor.FakeHost.in;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.cli.doctor.Doctor.Diagnosis;
import io.verbena.link.UpgradeDriver;
import io.verbena.link.UpgradeProvider;
import io.verbena.link.runtime.NanoClock;
import io.verbena.rdma.DeviceChoice;
import io.verbena.rdma.GuardedVerbs;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.RdmaUpgradeProvider;
import io.verbena.verbs.ext.VerbsProvider;
import io.verbena.verbs.fabric.DeviceProfile;
import io.verbena.verbs.fabric.Fabric;
import io.verbena.verbs.fabric.FabricHost;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole examinations of machines whose device is one of a fabric in memory. */
class DoctorTest {
  private static final UpgradeProvider RDMA_LINK =
      new UpgradeProvider() {
        @Override
        public String kind() {
          return "rdma";
        }

        @Override
        public Availability availability() {
          return new Availability.Available("some device");
        }

        @Override
        public UpgradeDriver newDriver(Runnable wakeLoop) {
          throw new UnsupportedOperationException("the doctor opens no link");
        }
      };

  @TempDir private Path root;

  private final Fabric fabric = Fabric.stepped(1);

  private FabricHost device(DeviceProfile profile, String... addresses) {
    InetAddress[] all = new InetAddress[addresses.length];
    for (int i = 0; i < all.length; i++) {
      all[i] = InetAddress.ofLiteral(addresses[i]);
    }
    return fabric.addHost("a", profile, all);
  }

  private Diagnosis examine(FabricHost device, @Nullable UpgradeProvider link) {
    return examine(device, link, DeviceChoice.ANY);
  }

  private Diagnosis examine(FabricHost device, @Nullable UpgradeProvider link, DeviceChoice of) {
    return examine(device, link, RdmaSettings.DEFAULT.withDevice(of));
  }

  private Diagnosis examine(
      FabricHost device, @Nullable UpgradeProvider link, RdmaSettings settings) {
    return new Doctor(new FakeHost(root).files(), soname -> true, device, link, settings).examine();
  }

  private static Section devices(Diagnosis diagnosis) {
    return diagnosis.sections().stream()
        .filter(section -> section.title().equals("Verbs devices"))
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(strings = {"25", "25+36", "25.0.1+8", "25.0.2"})
  void aJdkWhoseG1MovesPinnedObjectsIsNamedWithTheCure(String version) {
    Finding found = Doctor.jdk(Runtime.Version.parse(version));
    assertThat(found.mark()).isEqualTo(Finding.Mark.LOW);
    assertThat(found.detail()).startsWith(version).contains("JDK-8377811");
    assertThat(found.cure()).contains("25.0.3 or later");
  }

  @ParameterizedTest
  @ValueSource(strings = {"25.0.3+9", "25.0.10", "26", "27-ea+1"})
  void aLaterJdkIsFine(String version) {
    assertThat(Doctor.jdk(Runtime.Version.parse(version)).mark()).isEqualTo(Finding.Mark.OK);
  }

  @Test
  void aDeviceWithAnAddressGivesRdma() {
    FakeHost fake = new FakeHost(root);
    FabricHost host = device(DeviceProfile.full(), "10.9.0.1", "fe80::1");
    String name = examine(host, RDMA_LINK).prospect().reason();
    String ports = "/sys/class/infiniband/" + name + "/ports/1/";
    fake.file(ports + "rate", "10 Gb/sec (4X)");

    Diagnosis diagnosis = examine(host, RDMA_LINK);
    assertThat(diagnosis.prospect().rdma()).isTrue();
    assertThat(diagnosis.prospect().toString())
        .isEqualTo("path: rdma (" + name + "), if the other end has it too");
    assertThat(in(devices(diagnosis), "GID 0"))
        .isEqualTo(
            Finding.ok(
                "GID 0",
                "10.9.0.1, RoCE v2, eth0; chosen for peers in 10.9.0.1/24, and for peers behind routers"));
    assertThat(in(devices(diagnosis), "GID 1").detail()).endsWith("eth0; not chosen: link-local");
    assertThat(in(devices(diagnosis), name + " port 1").detail())
        .isEqualTo("active, Ethernet, MTU 1024 (at most 4096), 10 Gb/sec (4X)");
  }

  private FabricHost twoDevices() {
    FabricHost host = device(DeviceProfile.full(), "10.9.0.1");
    host.addAdapter(InetAddress.ofLiteral("10.9.1.1")).addRoceV1();
    return host;
  }

  @Test
  void saysOfEachGidWhetherItIsChosenAndWhy() {
    Diagnosis diagnosis = examine(twoDevices(), RDMA_LINK, DeviceChoice.of("netdev=eth1"));
    assertThat(devices(diagnosis).findings())
        .filteredOn(finding -> finding.what().startsWith("GID"))
        .containsExactly(
            Finding.note("GID 0", "10.9.0.1, RoCE v2, eth0; not chosen: not of eth1"),
            Finding.note(
                "GID 0", "10.9.1.1, RoCE v1, eth1; not chosen: connections are made by RoCE v2"),
            Finding.ok(
                "GID 1",
                "10.9.1.1, RoCE v2, eth1; chosen for peers in 10.9.1.1/24, and for peers behind routers"));
    assertThat(diagnosis.prospect().rdma()).isTrue();
  }

  @Test
  void aChoiceThatNoDeviceFitsGivesTcpAndSaysWhichThereAre() {
    FabricHost host = twoDevices();
    DeviceChoice choice = DeviceChoice.of("mlx5_9");
    RdmaSettings settings = RdmaSettings.DEFAULT.withDevice(choice);
    UpgradeProvider link = new RdmaUpgradeProvider(host, settings, NanoClock.SYSTEM);
    Diagnosis diagnosis = examine(host, link, choice);
    String first = host.adapter().deviceName();
    assertThat(in(devices(diagnosis), "the choice").detail())
        .startsWith("no verbs device mlx5_9; there are " + first + ", ");
    assertThat(in(devices(diagnosis), "the choice").cure()).contains("VERBENA_RDMA_DEVICE");
    assertThat(diagnosis.prospect().toString())
        .startsWith("path: tcp (no verbs device mlx5_9; there are " + first + ", ");
  }

  /** Whose GIDs are no IP addresses: those of its interfaces are chosen, or not. */
  @Test
  void aDeviceThatIsNoRoceIsOfNoUseWhereTheChoiceExcludesIt() {
    FabricHost host = device(DeviceProfile.full().withoutWriteWithImmediate(), "10.9.0.1");
    String first = host.adapter().deviceName();
    String second = host.addAdapter(InetAddress.ofLiteral("10.9.1.1")).deviceName();
    assertThat(examine(host, RDMA_LINK).prospect().reason()).isEqualTo(first + ", " + second);

    Diagnosis one = examine(host, RDMA_LINK, DeviceChoice.of("netdev=eth1"));
    assertThat(one.prospect().reason()).isEqualTo(second);
    assertThat(devices(one).findings())
        .filteredOn(finding -> finding.what().equals("address"))
        .containsExactly(
            Finding.note("address", "10.9.0.1, eth0; not chosen: not of eth1"),
            Finding.ok(
                "address",
                "10.9.1.1, eth1; chosen for peers in 10.9.1.1/24, and for peers behind routers"));

    Diagnosis none = examine(host, RDMA_LINK, DeviceChoice.of("netdev=eth7"));
    assertThat(none.prospect().rdma()).isFalse();
    assertThat(none.prospect().reason())
        .startsWith("no address of a verbs device is 'netdev=eth7'");
  }

  @Test
  void aDeviceThatIsNoRoceWithoutAnAddressGivesTcp() {
    Diagnosis diagnosis =
        examine(device(DeviceProfile.full().withoutWriteWithImmediate(), "fe80::1"), RDMA_LINK);
    assertThat(diagnosis.prospect().rdma()).isFalse();
    assertThat(devices(diagnosis).findings())
        .extracting(Finding::detail)
        .anyMatch(
            detail ->
                detail.startsWith("no interface of this network namespace has an IP address"));
  }

  @Test
  void aDeviceWithoutAnAddressOfItsOwnGivesTcp() {
    Diagnosis diagnosis = examine(device(DeviceProfile.full(), "fe80::1"), RDMA_LINK);
    assertThat(diagnosis.prospect().toString())
        .startsWith("path: tcp (")
        .contains("has no active port with an address");
    assertThat(devices(diagnosis).findings())
        .extracting(Finding::cure)
        .anyMatch(cure -> cure.startsWith("ip address add"));
  }

  @Test
  void aLimitThatForbidsRegisteringGivesTcp() {
    DeviceProfile tight = DeviceProfile.full().withMemlock(64 << 10);
    Diagnosis diagnosis = examine(device(tight, "10.9.0.1"), RDMA_LINK);
    assertThat(diagnosis.prospect().rdma()).isFalse();
    assertThat(diagnosis.prospect().reason()).contains("ENOMEM");
  }

  @Test
  void noDeviceGivesTcpAndTheCure() {
    FabricHost host = device(DeviceProfile.full(), "10.9.0.1");
    host.removeDevice();
    new FakeHost(root).loaded("rdma_rxe");
    Diagnosis diagnosis = examine(host, RDMA_LINK);
    assertThat(diagnosis.prospect().rdma()).isFalse();
    assertThat(in(devices(diagnosis), "a device").cure())
        .isEqualTo("rdma link add rxe0 type rxe netdev eth0");
  }

  @Test
  void tellsEachCureOnce() {
    FabricHost host = device(DeviceProfile.full(), "10.9.0.1");
    host.removeDevice();
    StringWriter out = new StringWriter();
    examine(host, RDMA_LINK).print(new PrintWriter(out));
    List<String> cures =
        out.toString().lines().map(String::strip).filter(l -> l.startsWith("cure: ")).toList();
    assertThat(cures).contains("cure: the same");
    assertThat(cures).filteredOn(cure -> !cure.equals("cure: the same")).doesNotHaveDuplicates();
  }

  @Test
  void aProgramWithoutTheRdmaLinkGetsTcpWhateverTheMachineHas() {
    Diagnosis diagnosis = examine(device(DeviceProfile.full(), "10.9.0.1"), null);
    assertThat(diagnosis.prospect().toString())
        .isEqualTo("path: tcp (no RDMA link on the class path)");
  }

  @Test
  void aDeviceThatTheLibraryDoesNotOpenIsNamed() {
    new FakeHost(root).file("/sys/class/infiniband/mlx5_0/fw_ver", "1");
    Diagnosis diagnosis = examine(device(DeviceProfile.full(), "10.9.0.1"), RDMA_LINK);
    assertThat(in(devices(diagnosis), "mlx5_0").cure())
        .startsWith("apt-get install ibverbs-providers");
  }

  @Test
  void aJvmThatDeniesNativeAccessIsAFindingWithItsCure() {
    VerbsProvider denied =
        (VerbsProvider)
            Proxy.newProxyInstance(
                VerbsProvider.class.getClassLoader(),
                new Class<?>[] {VerbsProvider.class},
                (self, method, arguments) -> {
                  throw new IllegalCallerException("Illegal native access");
                });
    GuardedVerbs verbs = GuardedVerbs.of(denied);
    Diagnosis diagnosis =
        new Doctor(
                new FakeHost(root).files(),
                soname -> {
                  throw new IllegalCallerException("Illegal native access");
                },
                verbs,
                new RdmaUpgradeProvider(verbs, RdmaSettings.DEFAULT, NanoClock.SYSTEM),
                RdmaSettings.DEFAULT)
            .examine();

    assertThat(diagnosis.prospect().toString())
        .startsWith("path: tcp (the verbs devices cannot be used: ")
        .contains("IllegalCallerException");
    assertThat(diagnosis.sections())
        .flatMap(Section::findings)
        .filteredOn(finding -> finding.cure().contains("--enable-native-access=ALL-UNNAMED"))
        .hasSize(1);
    assertThat(devices(diagnosis).findings())
        .extracting(Finding::cure)
        .anyMatch(cure -> cure.contains("IllegalCallerException"));
  }

  private FakeHost twoNodes() {
    return new FakeHost(root)
        .file("/sys/devices/system/node/online", "0-1")
        .file("/sys/devices/system/node/node0/cpulist", "0-15,32-47")
        .file("/sys/devices/system/node/node1/cpulist", "16-31,48-63")
        .file("/proc/thread-self/status", "Name:\tjava", "Cpus_allowed_list:\t0-63");
  }

  @Test
  void saysOnWhichNodeADeviceIsAndThatTheProcessIsThere() {
    FabricHost host = device(DeviceProfile.full(), "10.9.0.1");
    String device = "/sys/class/infiniband/" + host.adapter().deviceName() + "/device/";
    assertThat(in(devices(examine(host, RDMA_LINK)), "NUMA"))
        .isEqualTo(Finding.note("NUMA", "one node on this host"));

    FakeHost files = twoNodes().file(device + "numa_node", "1");
    String node = "node 1, processors 16-31,48-63; this process may use ";
    assertThat(in(devices(examine(host, RDMA_LINK)), "NUMA"))
        .isEqualTo(Finding.note("NUMA", node + "0-63"));
    files.file("/proc/thread-self/status", "Cpus_allowed_list:\t16-19,48");
    assertThat(in(devices(examine(host, RDMA_LINK)), "NUMA"))
        .isEqualTo(Finding.ok("NUMA", node + "16-19,48"));
    files.file("/proc/thread-self/status", "Cpus_allowed_list:\t0-7");
    assertThat(in(devices(examine(host, RDMA_LINK)), "NUMA"))
        .isEqualTo(
            Finding.low("NUMA", node + "0-7", "numactl --cpunodebind=1 --localalloc java …"));
  }

  /** Memory that is attached without processors is a node, too. */
  @Test
  void aNodeWithoutProcessorsIsNoSecondNode() {
    FabricHost host = device(DeviceProfile.full(), "10.9.0.1");
    twoNodes().file("/sys/devices/system/node/node0/cpulist", "");
    assertThat(in(devices(examine(host, RDMA_LINK)), "NUMA"))
        .isEqualTo(Finding.note("NUMA", "one node on this host"));
  }

  @Test
  void saysThatTheNodeOfADeviceIsUnknown() {
    FabricHost host = device(DeviceProfile.full(), "10.9.0.1");
    String device = "/sys/class/infiniband/" + host.adapter().deviceName() + "/device/";
    FakeHost files = twoNodes();
    assertThat(in(devices(examine(host, RDMA_LINK)), "NUMA"))
        .isEqualTo(Finding.note("NUMA", "node unknown"));
    files.file(device + "numa_node", "-1");
    assertThat(in(devices(examine(host, RDMA_LINK)), "NUMA"))
        .isEqualTo(Finding.note("NUMA", "node unknown: numa_node is -1"));
  }

  @Test
  void printsEachFindingWithItsMarkAndItsCure() {
    StringWriter out = new StringWriter();
    examine(device(DeviceProfile.full(), "10.9.0.1"), null).print(new PrintWriter(out, true));
    assertThat(out.toString())
        .containsPattern("(?m)^Libraries$")
        .containsPattern("(?m)^  ok       libibverbs.so.1 +loaded$")
        .containsPattern(
            "(?m)^  missing  RDMA +.* are not in this kernel\\n +cure: none for this kernel");
  }
}
