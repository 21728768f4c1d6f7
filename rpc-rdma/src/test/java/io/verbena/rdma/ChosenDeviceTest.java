package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import io.verbena.core.PathPolicy;
import io.verbena.core.VerbenaClient;
import io.verbena.link.Link;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkListener;
import io.verbena.link.UpgradeDriver;
import io.verbena.link.UpgradeProvider.Availability;
import io.verbena.rdma.wire.RdmaOffer;
import io.verbena.rdma.wire.UpgradeRequest;
import io.verbena.testkit.RecordingListener;
import io.verbena.testkit.Seed;
import io.verbena.testkit.SteppedWorld;
import io.verbena.verbs.ext.HostAddress;
import io.verbena.verbs.ext.VerbsProvider;
import io.verbena.verbs.fabric.DeviceProfile;
import io.verbena.verbs.fabric.FabricAdapter;
import io.verbena.verbs.fabric.FabricHost;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Links go by the devices and addresses that were chosen and by no other; where none is chosen, by
 * those that reach the peer. Both hosts have two devices: eth0 in 10.9.0.0/24 and fd00::/64, eth1
 * in 10.9.1.0/24.
 */
final class ChosenDeviceTest {
  private static final int MOST_STEPS = 3_000_000;

  private FabricWorld world = world(DeviceProfile.full());
  private final FabricAdapter eastSecond = world.east.addAdapter(address("10.9.1.1"));
  private final FabricAdapter westSecond = world.west.addAdapter(address("10.9.1.2"));
  private final List<UpgradeDriver> drivers = new ArrayList<>();

  private static FabricWorld world(DeviceProfile profile) {
    return new FabricWorld(Seed.random("chosen devices").nextLong(), profile);
  }

  private static InetAddress address(String literal) {
    return FabricWorld.address(literal);
  }

  @AfterEach
  void close() {
    drivers.forEach(UpgradeDriver::close);
  }

  private RdmaUpgradeProvider links(FabricHost host, String choice) {
    RdmaSettings settings = RdmaSettings.DEFAULT.withDevice(DeviceChoice.of(choice));
    return new RdmaUpgradeProvider(new SteppedVerbs(host, world), settings, world);
  }

  private UpgradeDriver driver(FabricHost host, String choice) {
    return driver(host, RdmaSettings.DEFAULT.withDevice(DeviceChoice.of(choice)));
  }

  private UpgradeDriver driver(FabricHost host, RdmaSettings settings) {
    UpgradeDriver made =
        new RdmaUpgradeProvider(new SteppedVerbs(host, world), settings, world).newDriver(() -> {});
    drivers.add(made);
    return made;
  }

  private static final class Outcome implements LinkDriver.ConnectHandler {
    private @Nullable Link link;
    private @Nullable String failure;

    @Override
    public LinkListener onConnected(Link opened) {
      link = opened;
      return new RecordingListener();
    }

    @Override
    public void onFailed(LinkException e) {
      failure = e.getMessage();
    }

    /** The path, as a session says it, and where it leads. */
    String path() {
      return link == null
          ? "none: " + failure
          : link.capabilities().detail() + " to " + link.peerAddress().replaceFirst(":\\d+$", "");
    }
  }

  private static byte[] offer(UpgradeDriver passive, String tcp, byte... request)
      throws LinkException {
    byte[] asked = request.length == 0 ? UpgradeRequest.encode() : request;
    return passive.offer(asked, URI.create(tcp), PassiveEnd.OPTIONS, new Outcome());
  }

  private static List<String> offered(UpgradeDriver passive, String tcp, byte... request)
      throws LinkException {
    return RdmaOffer.decode(offer(passive, tcp, request)).candidates().stream()
        .map(one -> one.getAddress().getHostAddress())
        .toList();
  }

  private String path(UpgradeDriver active, byte[] offer) {
    Outcome outcome = new Outcome();
    active.connect(offer, PassiveEnd.OPTIONS, outcome);
    for (int i = 0; outcome.link == null && outcome.failure == null; i++) {
      assertThat(i).as("steps until the outcome").isLessThan(MOST_STEPS);
      world.step();
      drivers.forEach(one -> one.poll(world.nanoTime()));
    }
    return outcome.path();
  }

  private String path(String eastsChoice, String westsChoice) throws LinkException {
    UpgradeDriver passive = driver(world.west, westsChoice);
    return path(driver(world.east, eastsChoice), offer(passive, "tcp://10.9.0.2:7400"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | 10.9.0.1 | 10.9.0.2",
        "netdev=eth1 | 10.9.1.1 | 10.9.1.2",
        "subnet=10.9.1.0/24 | 10.9.1.1 | 10.9.1.2",
        "netdev=eth0,family=ipv6 | [fd00:0:0:0:0:0:0:1] | [fd00:0:0:0:0:0:0:2]",
        "netdev=eth0,gid=1 | [fd00:0:0:0:0:0:0:1] | [fd00:0:0:0:0:0:0:2]",
        "type=roce-v2 | 10.9.0.1 | 10.9.0.2",
      })
  void aLinkGoesByWhatOneEndChoseFromTheAddressInTheSameNetwork(
      String choice, String from, String to) throws Exception {
    String device = (from.startsWith("10.9.1") ? eastSecond : world.east.adapter()).deviceName();
    assertThat(path(choice, "")).isEqualTo(device + " at " + from + " to rdma://" + to);
    assertThat(path("", choice)).isEqualTo(device + " at " + from + " to rdma://" + to);
  }

  @Test
  void aDeviceIsChosenByItsNameAndItsPort() throws Exception {
    String name = eastSecond.deviceName();
    String path = name + " at 10.9.1.1 to rdma://10.9.1.2";
    assertThat(path(name, "")).isEqualTo(path);
    assertThat(path(name + ":1", westSecond.deviceName())).isEqualTo(path);
  }

  /** The host's routes lead by one of them alone. */
  @Test
  void aDeviceIsChosenThoughAnotherIsInTheSameNetwork() throws Exception {
    String name = world.east.addAdapter(address("10.9.0.11")).deviceName();
    assertThat(path("", "")).contains(" at 10.9.0.1 to ");
    assertThat(path(name, "")).isEqualTo(name + " at 10.9.0.11 to rdma://10.9.0.2");
  }

  /** A device whose GID is no IP address is known by the address of its interface. */
  @ParameterizedTest
  @CsvSource({"0, 10.9.0.1", "1, 10.9.0.11", "2, 10.9.0.12"})
  void aDeviceThatIsNoRoceIsChosenThoughOthersAreInTheSameNetwork(int index, String from)
      throws Exception {
    world = world(DeviceProfile.full().withoutWriteWithImmediate());
    List<String> names =
        List.of(
            world.east.adapter().deviceName(),
            world.east.addAdapter(address("10.9.0.11")).deviceName(),
            world.east.addAdapter(address("10.9.0.12")).deviceName());
    assertThat(path("", "")).contains(" at 10.9.0.1 to ");
    assertThat(path(names.get(index), ""))
        .isEqualTo(names.get(index) + " at " + from + " to rdma://10.9.0.2");
  }

  /** Verbs that answer one of their calls otherwise. */
  private VerbsProvider but(String call, FabricHost host, Callable<?> answer) {
    VerbsProvider stepped = new SteppedVerbs(host, world);
    return (VerbsProvider)
        Proxy.newProxyInstance(
            VerbsProvider.class.getClassLoader(),
            new Class<?>[] {VerbsProvider.class},
            (self, method, arguments) ->
                method.getName().equals(call) ? answer.call() : method.invoke(stepped, arguments));
  }

  private UpgradeDriver driver(VerbsProvider verbs, DeviceChoice choice) {
    RdmaSettings settings = RdmaSettings.DEFAULT.withDevice(choice);
    UpgradeDriver made = new RdmaUpgradeProvider(verbs, settings, world).newDriver(() -> {});
    drivers.add(made);
    return made;
  }

  /** As in a container to which the kernel's files are not shown. */
  private static List<HostAddress> withoutHardwareAddresses(FabricHost host) {
    return host.hostAddresses().stream()
        .map(one -> new HostAddress(one.netdev(), "", one.address(), one.bits()))
        .toList();
  }

  @Test
  void aPortThatOnlyBindingTellsIsTheOneThatWasChosen() throws Exception {
    world = world(DeviceProfile.full().withoutWriteWithImmediate());
    VerbsProvider verbs =
        but("hostAddresses", world.east, () -> withoutHardwareAddresses(world.east));
    String name = world.east.adapter().deviceName();
    UpgradeDriver first = driver(verbs, DeviceChoice.of(name + ":1,family=ipv4"));
    assertThat(offered(first, "tcp://10.9.0.1:7400")).containsExactly("10.9.0.1");
    assertThat(path(first, someOffer())).isEqualTo(name + " at 10.9.0.1 to rdma://10.9.0.2");
    UpgradeDriver second = driver(verbs, DeviceChoice.of(name + ":2,family=ipv4"));
    assertThatThrownBy(() -> offer(second, "tcp://10.9.0.1:7400"))
        .hasMessage("no address can be listened at");
    assertThat(path(second, someOffer()))
        .contains(": " + name + " port 1 leads there, which is not port 2");
  }

  @Test
  void whyNoneOfManyCandidatesCanBeReachedIsAskedOnce() throws Exception {
    UpgradeDriver passive = driver(ofManyNetworks(12), "");
    AtomicInteger looks = new AtomicInteger();
    VerbsProvider counted =
        but(
            "devices",
            world.east,
            () -> {
              looks.incrementAndGet();
              return world.east.devices();
            });
    UpgradeDriver active = driver(counted, DeviceChoice.of("mlx5_9"));
    assertThat(path(active, offer(passive, "tcp://192.0.2.7:7400")))
        .containsOnlyOnce("10.8.3.2")
        .contains("no verbs device mlx5_9; there are ");
    assertThat(looks).as("for addresses, and for the names").hasValueLessThanOrEqualTo(2);
  }

  @Test
  void onlyTheAddressesThatWereChosenAreOffered() throws Exception {
    assertThat(offered(driver(world.west, westSecond.deviceName()), "tcp://10.9.0.2:7400"))
        .containsExactly("10.9.1.2");
  }

  @Test
  void theEndThatAsksForALinkSaysTheTrafficClassOfBoth() throws Exception {
    path(driver(world.east, RdmaSettings.DEFAULT.withTrafficClass(106)), someOffer());
    assertThat(world.east.trafficClasses()).containsExactly(106);
    assertThat(world.west.trafficClasses()).containsExactly(106);
  }

  @Test
  void aDeviceThatIsNotThereKeepsSessionsFromRdmaAndSaysWhichThereAre() {
    RdmaUpgradeProvider links = links(world.east, "mlx5_9");
    String said =
        "no verbs device mlx5_9; there are "
            + world.east.adapter().deviceName()
            + ", "
            + eastSecond.deviceName();
    assertThat(links.availability()).isEqualTo(new Availability.Unavailable(said));
    UpgradeDriver driver = links.newDriver(() -> {});
    drivers.add(driver);
    assertThatThrownBy(() -> offer(driver, "tcp://10.9.0.1:7400")).hasMessage(said);
    eastSecond.unplug();
    assertThat(path(driver, someOffer())).contains(": no verbs device mlx5_9; there are ");
  }

  private byte[] someOffer() {
    try {
      return offer(driver(world.west, ""), "tcp://10.9.0.2:7400");
    } catch (LinkException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aChoiceThatNoAddressFitsSaysOfEachWhyNot() {
    eastSecond.addRoceV1();
    assertThat(links(world.east, "type=roce-v1").availability())
        .isInstanceOfSatisfying(
            Availability.Unavailable.class,
            none ->
                assertThat(none.reason())
                    .startsWith("no address of a verbs device is 'type=roce-v1'; there are ")
                    .contains("GID 0: 10.9.0.1, RoCE v2, eth0 (not RoCE v1)")
                    .contains("10.9.1.1, RoCE v1, eth1 (connections are made by RoCE v2)"));
  }

  /** Beside another kind of link nobody else would say why this one is not taken. */
  @Test
  void aChoiceThatIsNoneIsLoggedOnceWithItsSettingAndTheDevices() {
    System.setProperty(RdmaSettings.DEVICE_PROPERTY, "mlx5_1:one");
    try (CapturedLog log = new CapturedLog(RdmaUpgradeProvider.class.getName(), Level.WARN)) {
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(RdmaUpgradeProvider::new)
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageStartingWith("verbena.rdma.device: device is a device's name")
            .hasMessageEndingWith("not mlx5_1:one");
      }
      assertThat(log.take())
          .singleElement()
          .asString()
          .startsWith("RDMA links are not available: verbena.rdma.device: ")
          .containsPattern("not mlx5_1:one; there (is no verbs device|are the verbs devices .+)$");
    } finally {
      System.clearProperty(RdmaSettings.DEVICE_PROPERTY);
    }
  }

  @Test
  void aDeviceThatIsNotThereIsLoggedWithTheSettingsThatMayNameIt() {
    RdmaUpgradeProvider links = links(world.east, "mlx5_9");
    try (CapturedLog log = new CapturedLog(RdmaUpgradeProvider.class.getName(), Level.WARN)) {
      links.availability();
      links.availability();
      assertThat(log.take())
          .singleElement()
          .asString()
          .startsWith("no verbs device mlx5_9; there are " + world.east.adapter().deviceName())
          .contains("'device=mlx5_9' is chosen, by withDevice, verbena.rdma.device or VERBENA_");
    }
  }

  @Test
  void aSessionThatPrefersRdmaSaysWhyItIsNotOnIt() {
    RdmaSettings settings = RdmaSettings.DEFAULT.withDevice(DeviceChoice.of("mlx5_9"));
    try (RdmaWorld w = RdmaWorld.with(settings)) {
      assertThat(w.session.path().link()).isNotEqualTo("rdma");
      assertThat(w.session.path().reason()).contains("no verbs device mlx5_9; there are fab1");
    }
  }

  @Test
  void aCallThatRequiresRdmaFailsForTheDeviceThatIsNotThere() {
    try (SteppedWorld w = new SteppedWorld().withoutWaits()) {
      w.server(server -> server.serve(Echo.bind(text -> {})));
      VerbenaClient client =
          w.client(c -> c.upgrades(links(world.east, "mlx5_9")).path(PathPolicy.REQUIRE_RDMA));
      CompletableFuture<String> call = Echo.call(client.session(w.address()), "unheard");
      w.runUntil(call::isDone);
      assertThatThrownBy(call::join)
          .hasStackTraceContaining("no verbs device mlx5_9; there are fab1, ");
    }
  }

  /**
   * As of a server with many networks, to one of which a client belongs, while TCP came by none.
   */
  private FabricHost ofManyNetworks(int networks) {
    FabricHost host =
        world.fabric.addHost(
            "north", DeviceProfile.full(), address("10.8.0.2"), address("10.8.0.3"));
    for (int i = 1; i < networks; i++) {
      host.addAdapter(address("10.8." + i + ".2"), address("10.8." + i + ".3"));
    }
    host.addAdapter(address("10.9.0.77"));
    return host;
  }

  @Test
  void anAddressThatReachesThePeerIsFoundBehindEightThatDoNot() throws Exception {
    UpgradeDriver passive = driver(ofManyNetworks(12), "");
    UpgradeDriver active = driver(world.east, "");
    world.fabric.separateNetworks();
    long start = world.nanoTime();
    assertThat(path(active, offer(passive, "tcp://192.0.2.7:7400")))
        .endsWith("at 10.9.0.1 to rdma://10.9.0.77");
    assertThat(Duration.ofNanos(world.nanoTime() - start)).isLessThan(Duration.ofMillis(100));
  }

  @Test
  void aPeerOfAnOlderReleaseIsOfferedEightAndOneOfEachNetworkFirst() throws Exception {
    UpgradeDriver passive = driver(ofManyNetworks(7), "");
    byte version = UpgradeRequest.encode()[0];
    assertThat(offered(passive, "tcp://192.0.2.7:7400", version))
        .hasSize(8)
        .contains("10.9.0.77")
        .doesNotContain("10.8.0.3");
    assertThat(offered(passive, "tcp://10.8.3.3:7400", version))
        .startsWith("10.8.3.3", "10.8.3.2", "10.8.0.2")
        .hasSize(8);
  }

  @Test
  void addressesThatCannotBeReachedFromHereAreNotTried() throws Exception {
    UpgradeDriver passive = driver(world.west, "");
    UpgradeDriver active = driver(world.east, "family=ipv4");
    RdmaOffer offer = RdmaOffer.decode(offer(passive, "tcp://10.9.0.2:7400"));
    List<InetSocketAddress> candidates = new ArrayList<>();
    candidates.add(new InetSocketAddress(address("fe80::7"), 7));
    candidates.add(new InetSocketAddress(address("169.254.3.7"), 7));
    candidates.add(new InetSocketAddress(address("127.0.0.1"), 7));
    candidates.add(new InetSocketAddress(address("fd00::2"), 7));
    long start = world.nanoTime();
    assertThat(path(active, new RdmaOffer(offer.token(), candidates).encode()))
        .contains("[fe80:0:0:0:0:0:0:7]:7: the address cannot be reached from another host")
        .contains("[fd00:0:0:0:0:0:0:2]:7: no verbs device here has an address of its family");
    candidates.addAll(offer.candidates());
    assertThat(path(active, new RdmaOffer(offer.token(), candidates).encode()))
        .endsWith("at 10.9.0.1 to rdma://10.9.0.2");
    assertThat(Duration.ofNanos(world.nanoTime() - start)).isLessThan(Duration.ofMillis(100));
  }
}
