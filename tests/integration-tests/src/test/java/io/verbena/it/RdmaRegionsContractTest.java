package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.verbena.api.Session;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.link.runtime.NanoClock;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.RdmaUpgradeProvider;
import io.verbena.testkit.RegionsContract;
import io.verbena.verbs.fabric.Fabric;
import io.verbena.verbs.fabric.FabricHost;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;

/** Regions over RDMA, by verbs in memory. */
class RdmaRegionsContractTest extends RegionsContract {
  private final Fabric fabric = Fabric.threaded(5);
  private int hosts;

  @AfterEach
  void closeTheFabric() {
    fabric.close();
  }

  private RdmaUpgradeProvider provider() {
    hosts++;
    try {
      FabricHost host = fabric.addHost("host" + hosts, InetAddress.getByName("10.9.0." + hosts));
      return new RdmaUpgradeProvider(host, RdmaSettings.DEFAULT, NanoClock.SYSTEM);
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  protected VerbenaServer.Builder newServer() {
    return VerbenaServer.builder().listen("127.0.0.1:0").upgrades(provider());
  }

  @Override
  protected VerbenaClient.Builder newClient() {
    return VerbenaClient.builder().upgrades(provider());
  }

  @Override
  protected void settle(Session session) {
    await()
        .atMost(Duration.ofSeconds(40))
        .untilAsserted(() -> assertThat(session.path().toString()).startsWith("rdma"));
  }
}
