package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.verbena.api.Session;
import io.verbena.core.PathPolicy;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.link.runtime.NanoClock;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.RdmaUpgradeProvider;
import io.verbena.verbs.fabric.Fabric;
import io.verbena.verbs.fabric.FabricHost;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whole sessions, on TCP over loopback, that upgrade to RDMA over verbs in memory. */
class RdmaSessionTest {
  private static final Duration LONGEST = Duration.ofSeconds(40);

  private final ConcurrentHashMap<Long, Integer> executions = new ConcurrentHashMap<>();
  private final Fabric fabric = Fabric.threaded(7);
  private FabricHost east;
  private FabricHost west;
  private RdmaUpgradeProvider eastern;
  private RdmaUpgradeProvider western;
  private VerbenaServer server;
  private VerbenaClient client;
  private Session session;

  @BeforeEach
  void openASession() throws UnknownHostException {
    east = fabric.addHost("east", InetAddress.getByName("10.9.0.1"));
    west = fabric.addHost("west", InetAddress.getByName("10.9.0.2"));
    eastern = new RdmaUpgradeProvider(east, RdmaSettings.DEFAULT, NanoClock.SYSTEM);
    western = new RdmaUpgradeProvider(west, RdmaSettings.DEFAULT, NanoClock.SYSTEM);
    server =
        VerbenaServer.builder()
            .listen("127.0.0.1:0")
            .serve(HouseRpc.bind(new Counting()))
            .upgrades(western)
            .drainTime(Duration.ofMillis(100))
            .start();
    client = VerbenaClient.builder().upgrades(eastern).build();
    session = client.connect(server.address().toString());
  }

  @AfterEach
  void leavesNothingBehind() {
    client.close();
    server.close();
    assertThat(eastern.pinnedBytes()).isZero();
    assertThat(western.pinnedBytes()).isZero();
    fabric.close();
  }

  private final class Counting extends PlainHouse {
    @Override
    public long add(long number) {
      executions.merge(number, 1, Integer::sum);
      return number + 1;
    }
  }

  private void awaitPath(String link) {
    await()
        .atMost(LONGEST)
        .untilAsserted(() -> assertThat(session.path().toString()).startsWith(link));
  }

  /** Makes calls for a while, as fast as their answers come, while something happens meanwhile. */
  private void callsGoOnWhile(Runnable event) {
    HouseRpc.Async house = HouseRpc.async(session);
    List<CompletableFuture<Long>> calls = new ArrayList<>();
    for (long i = 0; i < 4_000; i++) {
      calls.add(house.add(i).toCompletableFuture());
      if (i == 1_000) {
        event.run();
      }
      if (i % 200 == 199) {
        calls.getLast().orTimeout(LONGEST.toSeconds(), TimeUnit.SECONDS).join();
      }
    }
    for (int i = 0; i < calls.size(); i++) {
      assertThat(calls.get(i).join()).isEqualTo(i + 1);
    }
    assertThat(executions.values()).allMatch(count -> count == 1);
    assertThat(executions).hasSize(4_000);
  }

  @Test
  void aSessionUpgradesByItselfAndNamesTheDevice() {
    awaitPath("rdma");
    assertThat(session.path().reason()).isNotEmpty();
    callsGoOnWhile(() -> {});
    assertThat(eastern.counters().toString()).isNotEmpty();
  }

  @Test
  void whenTheDeviceIsRemovedCallsGoOnOverTcpAndReturnWhenItIsBack() {
    awaitPath("rdma");
    callsGoOnWhile(east::removeDevice);
    awaitPath("tcp");
    assertThat(session.path().reason()).isNotEmpty();
    east.restoreDevice();
    awaitPath("rdma");
    assertThat(HouseRpc.client(session).add(10_000)).isEqualTo(10_001);
  }

  @Test
  void whenTheFabricIsCutSilentlyCallsAreSettledOverTcp() {
    awaitPath("rdma");
    callsGoOnWhile(() -> fabric.cut(east, west));
    fabric.heal(east, west);
    awaitPath("rdma");
  }

  @Test
  void aClientThatWantsTcpOnlyStaysThere() {
    try (VerbenaClient plain =
            VerbenaClient.builder().upgrades(eastern).path(PathPolicy.TCP_ONLY).build();
        Session other = plain.connect(server.address().toString())) {
      assertThat(HouseRpc.client(other).add(1)).isEqualTo(2);
      assertThat(other.path().toString()).isEqualTo("tcp (tcp-only by policy)");
    }
  }
}
