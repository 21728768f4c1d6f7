package io.verbena.it.two;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.api.RpcException;
import io.verbena.api.Session;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.core.VerbenaClient;
import io.verbena.it.Pattern;
import io.verbena.link.runtime.NanoClock;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.RdmaUpgradeProvider;
import io.verbena.verbs.ffm.FfmProvider;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Whatever happens between two machines while calls, both ways, and large objects are under way:
 * every call ends, none is executed twice, what is told of their execution is true, they go on over
 * TCP and return to RDMA, and nothing is left of it.
 */
@Tag("lab-two")
@DisplayName("Between two machines")
@Timeout(300)
class TwoMachinesTest {
  /** An emulated machine loads classes for seconds before it answers for the first time. */
  private static final Duration LEDGER_OPENS = Duration.ofSeconds(15);

  private static final AtomicInteger NUMBERS = new AtomicInteger();
  private static final EntriesHere ENTRIES_HERE = new EntriesHere();
  private static final AtomicInteger ASKS = new AtomicInteger();

  private static Map<String, Long> beforehand;
  private static RdmaUpgradeProvider rdma;
  private static LedgerProcess server;
  private static VerbenaClient client;
  private static Session session;

  /** The kernels' resources for a session that has been used and rests. */
  private static Map<Machine, Map<String, Long>> usual;

  @BeforeAll
  @Timeout(300)
  static void openASessionAndUseIt() throws Exception {
    beforehand = Machine.A.resources();
    beforehand.merge("pd", 1L, Long::sum); // librdmacm's own, which it keeps
    rdma = new RdmaUpgradeProvider(new FfmProvider(), RdmaSettings.DEFAULT, NanoClock.SYSTEM);
    server = new LedgerProcess(LedgerProcess.ADDRESS);
    client =
        VerbenaClient.builder()
            .limits(LedgerServer.LIMITS)
            .connectTimeout(LEDGER_OPENS)
            .upgrades(new CountedUpgrades(rdma, ASKS))
            .build();
    openSession();
    awaitPath("rdma");
    during(Traffic::awaitMore).assertNothingFailed();
    awaitRest();
    usual = resources();
  }

  private static void openSession() {
    session = client.connect(LedgerProcess.ADDRESS);
    session.serve(CalledBackRpc.bind(ENTRIES_HERE));
  }

  @AfterAll
  @Timeout(300)
  static void leaveNothing() {
    client.close();
    assertThat(rdma.pinnedBytes()).isZero();
    assertThat(client.slotsInUse()).isZero();
    await()
        .atMost(Traffic.LONGEST)
        .untilAsserted(() -> assertThat(Machine.A.resources()).isEqualTo(beforehand));
    server.close();
  }

  @AfterEach
  void allIsAsItWas() throws Exception {
    runOnBoth("lab-link heal"); // whatever a test that failed has left
    awaitPath("rdma");
    awaitRest();
    await().atMost(Traffic.LONGEST).untilAsserted(() -> assertThat(resources()).isEqualTo(usual));
    assertThat(figures(Machine.B))
        .containsEntry("wrong pushes", 0L)
        .containsEntry("wrong calls back", 0L);
    for (Machine machine : Machine.values()) {
      assertThat(figures(machine)).containsEntry("rules broken by peers", 0L);
      assertThat(machine.counters())
          .as("receivers of %s that were not ready", machine)
          .containsEntry("rcvd_rnr_err", 0L)
          .containsEntry("send_rnr_err", 0L);
    }
  }

  /** Has something happen in the midst of traffic, and returns it when it has come to its end. */
  private static Traffic during(Event event) throws Exception {
    try (Traffic traffic = new Traffic(session, NUMBERS, ENTRIES_HERE)) {
      traffic.awaitMore();
      event.happen(traffic);
      traffic.stop();
      return traffic;
    }
  }

  private interface Event {
    void happen(Traffic traffic) throws Exception;
  }

  private static void runOnBoth(String command) throws Exception {
    for (Machine machine : Machine.values()) {
      machine.run(command);
    }
  }

  private static void awaitPath(String link) {
    awaitPath(session, link);
  }

  private static void awaitPath(Session one, String link) {
    await()
        .atMost(Traffic.LONGEST)
        .untilAsserted(() -> assertThat(one.path().toString()).startsWith(link));
  }

  private static void awaitMoreOver(String link, Traffic traffic) {
    traffic.awaitMore();
    awaitPath(link);
    traffic.awaitMore();
  }

  /** Closed memory is fenced, and pooled memory is back. */
  private static void awaitRest() {
    await()
        .atMost(Traffic.LONGEST)
        .untilAsserted(
            () -> {
              for (Machine machine : Machine.values()) {
                assertThat(figures(machine))
                    .containsEntry("quarantined bytes", 0L)
                    .containsEntry("open to peers bytes", 0L)
                    .containsEntry("bulk memory in use", 0L)
                    .containsEntry("bulk quarantined", 0L);
              }
            });
  }

  /** Returns what an end says of itself. */
  private static Map<String, Long> figures(Machine machine) {
    return switch (machine) {
      case A -> LedgerServer.figures(rdma, client.bulkStats());
      case B -> LedgerRpc.client(session).figures();
    };
  }

  /** Returns what the kernels hold, but for registrations that are kept for the next transfer. */
  private static Map<Machine, Map<String, Long>> resources() throws Exception {
    Map<Machine, Map<String, Long>> all = new EnumMap<>(Machine.class);
    for (Machine machine : Machine.values()) {
      long kept = figures(machine).get("registration cache idle"); // also of parts, after a resume
      Map<String, Long> resources = machine.resources();
      resources.merge("mr", -kept, Long::sum);
      all.put(machine, resources);
    }
    return all;
  }

  /** Returns this end of each TCP connection to the server. */
  private static String tcpConnections() throws Exception {
    return Machine.A.run("ss -Htn state established '( dport = :7400 )' | awk '{print $3}'");
  }

  @Test
  void trafficMovesOverTheDevices() throws Exception {
    long written = rdma.counters().bulkBytes();
    for (Machine machine : Machine.values()) {
      long sent = machine.counters().get("sent_pkts");
      during(Traffic::awaitMore).assertNothingFailed();
      assertThat(machine.counters().get("sent_pkts")).as("%s", machine).isGreaterThan(sent);
    }
    assertThat(rdma.counters().bulkBytes()).isGreaterThan(written);
  }

  @Test
  void aSecondWithoutTheLinkIsSurvivedByEveryCallAndByTheTcpConnection() throws Exception {
    String connections = tcpConnections();
    during(
            traffic -> {
              Machine.A.run("lab-link cut; sleep 1; lab-link heal");
              awaitMoreOver("rdma", traffic);
            })
        .assertNothingFailed();
    assertThat(tcpConnections()).isNotEmpty().isEqualTo(connections);
  }

  @Test
  @EnabledIfSystemProperty(named = "verbena.full", matches = "true")
  void aMinuteWithoutTheLinkIsSurvivedByEveryCall() throws Exception {
    during(
            traffic -> {
              Machine.A.run("lab-link cut");
              TimeUnit.SECONDS.sleep(60);
              Machine.A.run("lab-link heal");
              awaitMoreOver("rdma", traffic);
            })
        .assertNothingFailed();
  }

  @Test
  void whenThePeerIsKilledWhatIsToldOfCallsIsTrueAndItsSuccessorIsUsed() throws Exception {
    Traffic ended =
        during(
            traffic -> {
              server.kill();
              server = new LedgerProcess(LedgerProcess.ADDRESS);
              awaitMoreOver("rdma", traffic);
            });
    assertThat(ended.failures()).isPositive();
    ended.assertOutcomesAreTrue();
  }

  /** They share its device, its completion queue and its receives. */
  @Test
  void aPeerThatIsKilledDisturbsNoneOfTheOthers() throws Exception {
    long opened = rdma.counters().linksOpened();
    long closed = rdma.counters().linksClosed();
    try (LedgerProcess other = new LedgerProcess(LedgerProcess.OTHER_ADDRESS)) {
      Session doomed = client.connect(LedgerProcess.OTHER_ADDRESS);
      awaitPath(doomed, "rdma");
      FutureTask<Integer> calls = new FutureTask<>(() -> callUntilItFails(doomed));
      try {
        Thread.ofVirtual().start(calls);
        during(
                traffic -> {
                  other.kill();
                  await()
                      .atMost(Traffic.LONGEST)
                      .until(() -> rdma.counters().linksClosed() > closed);
                  doomed.close();
                  traffic.awaitMore();
                })
            .assertNothingFailed();
      } finally {
        doomed.close();
      }
      assertThat(calls.get(Traffic.LONGEST.toSeconds(), TimeUnit.SECONDS)).isPositive();
    }
    assertThat(rdma.counters().linksOpened()).isEqualTo(opened + 1);
    assertThat(rdma.counters().linksClosed()).isEqualTo(closed + 1);
  }

  private static int callUntilItFails(Session session) {
    Ledger ledger = LedgerRpc.client(session);
    int calls = 0;
    try {
      while (true) {
        ledger.timesEntered(0, 64);
        calls++;
      }
    } catch (RpcException e) {
      return calls;
    }
  }

  /** Each address is an entry of the device's table of GIDs. */
  @Tag("long")
  @ParameterizedTest
  @EnumSource
  void addressesThatComeAndGoDisturbNothing(Machine machine) throws Exception {
    long opened = rdma.counters().linksOpened();
    String gids =
        "cat /sys/class/infiniband/$LAB_DEVICE/ports/1/gids/* 2>/dev/null | sort -u | wc -l";
    during(
            traffic -> {
              int before = Integer.parseInt(machine.run(gids));
              String most =
                  machine.run(
                      "set -e; for i in $(seq 10); do ip addr add 10.9.$i.1/24 dev eth0;"
                          + " ip addr add fd09::$i/64 dev eth0 nodad; sleep 0.1; done; "
                          + gids
                          + "; for i in $(seq 10); do ip addr del 10.9.$i.1/24 dev eth0;"
                          + " ip addr del fd09::$i/64 dev eth0; sleep 0.1; done");
              assertThat(Integer.parseInt(most)).as("GIDs").isGreaterThanOrEqualTo(before + 10);
              traffic.awaitMore();
            })
        .assertNothingFailed();
    assertThat(rdma.counters().linksOpened()).isEqualTo(opened);
  }

  @Test
  void theAddressesInUseMayGoForAMoment() throws Exception {
    during(
            traffic -> {
              Machine.A.run(
                  """
                  set -e
                  ip addr del $LAB_ADDRESS/24 dev eth0
                  ip addr del $LAB_ADDRESS6/64 dev eth0
                  sleep 1
                  ip addr add $LAB_ADDRESS/24 dev eth0
                  ip addr add $LAB_ADDRESS6/64 dev eth0 nodad
                  # With the last address the kernel forgets the neighbours that the laboratory has named.
                  ip neigh replace $LAB_PEER lladdr $LAB_PEER_MAC dev eth0 nud permanent
                  ip neigh replace $LAB_PEER6 lladdr $LAB_PEER_MAC dev eth0 nud permanent
                  """);
              awaitMoreOver("rdma", traffic);
            })
        .assertNothingFailed();
  }

  /**
   * The link itself may be lost: Soft-RoCE knows no congestion, and repeats what has waited for
   * long until it gives up.
   */
  @Tag("long")
  @Test
  @EnabledIf("isLinux7")
  void whereTheLinkIsSaturatedNothingFails() throws Exception {
    MemorySegment large = Arena.ofAuto().allocate(64 << 20, 4096);
    Pattern.fill(large, 0);
    int[] waiting = new int[1];
    during(
            traffic -> {
              Machine.A.run("lab-link rate 80mbit");
              Transfer filling = session.objects().push("pattern", Source.of(large));
              while (!filling.result().toCompletableFuture().isDone()) {
                String queue =
                    Machine.A.run("tc -s qdisc show dev eth0 | grep -o 'b [0-9]*p' | head -1");
                waiting[0] = Math.max(waiting[0], Integer.parseInt(queue.replaceAll("\\D", "")));
              }
              filling.get(Traffic.LONGEST).close();
              traffic.awaitMore();
              Machine.A.run("lab-link heal");
              awaitMoreOver("rdma", traffic);
            })
        .assertNothingFailed();
    assumeTrue(waiting[0] > 20, "packets wait for the link");
  }

  /** A switch lets jumbo frames of TCP through and has a smaller MTU for RoCE. */
  @Tag("long")
  @Test
  @EnabledIf("isLinux7")
  void whereOnlyLargePacketsVanishTrafficGoesOnOverTcp() throws Exception {
    int asked = ASKS.get();
    during(
            traffic -> {
              runOnBoth("lab-link mtu 1500");
              awaitMoreOver("tcp", traffic);
              runOnBoth("lab-link heal");
              awaitMoreOver("rdma", traffic);
            })
        .assertNothingFailed();
    assertThat(ASKS.get() - asked).as("asks").isBetween(1, 8);
  }

  /** Before, the driver of the device comes to a stand where packets vanish and others do not. */
  static boolean isLinux7() {
    return Integer.parseInt(System.getProperty("os.version").replaceFirst("\\..*", "")) >= 7;
  }

  @Test
  void aPeerThatPausesForTwoSecondsKeepsThePath() throws Exception {
    long links = rdma.counters().linksOpened();
    during(
            traffic -> {
              server.pause(2);
              traffic.awaitMore();
            })
        .assertNothingFailed();
    assertThat(rdma.counters().linksOpened()).isEqualTo(links);
  }

  @Tag("long")
  @Test
  void aPeerThatIsFrozenForLongerIsGivenUpAndFoundAgain() throws Exception {
    long closed = rdma.counters().linksClosed();
    during(
            traffic -> {
              server.freeze();
              await().atMost(Traffic.LONGEST).until(() -> rdma.counters().linksClosed() > closed);
              server.thaw();
              awaitMoreOver("rdma", traffic);
            })
        .assertNothingFailed();
  }

  @ParameterizedTest
  @EnumSource
  void whenADeviceIsRemovedTrafficGoesOnOverTcpUntilThereIsOneAgain(Machine machine)
      throws Exception {
    during(
            traffic -> {
              machine.run("rdma link delete rxe0");
              awaitMoreOver("tcp", traffic);
              machine.run("rdma link add rxe0 type rxe netdev eth0");
              awaitMoreOver("rdma", traffic);
            })
        .assertNothingFailed();
  }

  @Tag("long")
  @ParameterizedTest
  @EnumSource
  void aDeviceThatComesBackUnderAnotherNameIsFound(Machine machine) throws Exception {
    during(
            traffic -> {
              machine.run("rdma link delete rxe0");
              awaitMoreOver("tcp", traffic);
              machine.run("rdma link add rxe9 type rxe netdev eth0");
              awaitMoreOver("rdma", traffic);
              machine.run("rdma link delete rxe9; rdma link add rxe0 type rxe netdev eth0");
              awaitMoreOver("rdma", traffic);
            })
        .assertNothingFailed();
  }

  /** Two adapters of rates 1 to 3: an object is spread over both, and either may go. */
  @Test
  @EnabledIf("hasSecondCable")
  void aSecondAdapterTakesItsShareAndStandsInForTheFirst() throws Exception {
    String adapter = "rdma link add rxe1 type rxe netdev eth2";
    String slowAndFast =
        "tc qdisc replace dev eth0 root netem limit 100000 rate 60mbit;"
            + "tc qdisc replace dev eth2 root netem limit 100000 rate 180mbit";
    MemorySegment large = Arena.ofAuto().allocate(48 << 20, 4096);
    Pattern.fill(large, 0);
    try {
      runOnBoth(
          "set -e; ip link set eth2 mtu 4200; ip link set eth2 up;"
              + " ip addr add 10.10.0.${LAB_ADDRESS##*.}/24 dev eth2; "
              + adapter);
      awaitRail(large);
      Machine.A.run(slowAndFast);
      push(large); // so that the rates are known
      long slow = bytesSent("eth0");
      long fast = bytesSent("eth2");
      long began = System.nanoTime();
      push(large);
      double seconds = (System.nanoTime() - began) / 1e9;
      slow = bytesSent("eth0") - slow;
      fast = bytesSent("eth2") - fast;
      System.out.printf(
          "over adapters of 60 and 180 Mbit/s: %.0f Mbit/s, %.0f %% by the faster%n",
          large.byteSize() * 8 / seconds / 1e6, 100.0 * fast / (slow + fast));
      assertThat((double) fast / (slow + fast)).as("share of the faster").isBetween(0.6, 0.9);
      Machine.A.run("lab-link heal; tc qdisc del dev eth2 root");
      during(
              traffic -> {
                whilePushing(large, "rdma link delete rxe1");
                assertThat(session.path().toString()).startsWith("rdma (rxe0");
                traffic.awaitMore();
                Machine.A.run(adapter);
                awaitRail(large);
                whilePushing(large, "rdma link delete rxe0");
                awaitMoreOver("rdma (rxe1", traffic);
                Machine.A.run("rdma link add rxe0 type rxe netdev eth0");
              })
          .assertNothingFailed();
    } finally {
      runOnBoth("rdma link delete rxe1; ip addr flush dev eth2; ip link set eth2 down");
      awaitPath("rdma (rxe0");
    }
  }

  static boolean hasSecondCable() {
    return Files.exists(Path.of("/sys/class/net/eth2"));
  }

  /** The rail is asked for again some seconds after it was lost. */
  private static void awaitRail(MemorySegment large) {
    await()
        .atMost(Traffic.LONGEST)
        .untilAsserted(
            () -> {
              push(large);
              assertThat(session.path().toString()).contains("rxe0").contains("rxe1");
            });
  }

  private static void push(MemorySegment large) throws Exception {
    session.objects().push("pattern", Source.of(large)).get(Traffic.LONGEST).close();
  }

  private static void whilePushing(MemorySegment large, String command) throws Exception {
    Transfer pushing = session.objects().push("pattern", Source.of(large));
    await().atMost(Traffic.LONGEST).until(() -> pushing.progress().bytes() > 4 << 20);
    Machine.A.run(command);
    pushing.get(Traffic.LONGEST).close();
  }

  private static long bytesSent(String card) throws Exception {
    return Long.parseLong(Machine.A.run("cat /sys/class/net/" + card + "/statistics/tx_bytes"));
  }

  /** A flap takes this test one to two seconds while there is traffic. */
  @Test
  @Timeout(600)
  void aDeviceThatFlapsIsAskedForLessAndLessOftenAndUsedInTheEnd() throws Exception {
    int flaps = Boolean.getBoolean("verbena.full") ? 200 : 20;
    int asked = ASKS.get();
    during(
            traffic -> {
              Machine.A.run(
                  "for flap in $(seq "
                      + flaps
                      + "); do rdma link delete rxe0;"
                      + " until rdma link add rxe0 type rxe netdev eth0 2>/dev/null;"
                      + " do sleep 0.02; done; sleep 0.05; done",
                  60 + 5 * flaps);
              awaitMoreOver("rdma", traffic);
            })
        .assertNothingFailed();
    assertThat(ASKS.get() - asked).as("asks in %d flaps", flaps).isBetween(1, 15);
    session.close();
    openSession(); // which has no need to wait so long for its next link
    awaitPath("rdma");
    during(Traffic::awaitMore).assertNothingFailed();
  }
}
