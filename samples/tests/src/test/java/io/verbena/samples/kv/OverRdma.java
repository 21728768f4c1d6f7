package io.verbena.samples.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.verbena.api.Session;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.link.runtime.NanoClock;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.RdmaUpgradeProvider;
import io.verbena.verbs.fabric.Fabric;
import io.verbena.verbs.fabric.FabricHost;
import java.net.InetAddress;
import java.time.Duration;

/** A store, and a session with it that its path has become RDMA, on simulated devices. */
final class OverRdma implements AutoCloseable {
  private final Fabric fabric = Fabric.threaded(13);

  /** The device of the store. */
  final RdmaUpgradeProvider keeping = device("west", "10.9.0.2");

  /** The device of the session. */
  final RdmaUpgradeProvider using = device("east", "10.9.0.1");

  private final VerbenaServer server;
  private final VerbenaClient client = VerbenaClient.builder().upgrades(using).build();
  final Session session;

  OverRdma(VerbenaServer.Builder builder) {
    server = StoreServer.start(builder.upgrades(keeping));
    session = client.connect(server.address().toString());
    await()
        .atMost(Duration.ofSeconds(40))
        .untilAsserted(() -> assertThat(session.path().link()).isEqualTo("rdma"));
  }

  private RdmaUpgradeProvider device(String name, String address) {
    FabricHost host = fabric.addHost(name, InetAddress.ofLiteral(address));
    return new RdmaUpgradeProvider(host, RdmaSettings.DEFAULT, NanoClock.SYSTEM);
  }

  /** Ends the session: the devices have counted all of it. */
  void endSession() {
    session.close();
    client.close();
    server.close();
  }

  @Override
  public void close() {
    endSession();
    fabric.close();
  }
}
