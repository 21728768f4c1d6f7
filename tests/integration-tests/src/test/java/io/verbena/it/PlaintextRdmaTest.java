package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.verbena.api.Session;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.link.TlsOptions;
import io.verbena.link.runtime.NanoClock;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.RdmaUpgradeProvider;
import io.verbena.testkit.TestIdentity;
import io.verbena.verbs.fabric.Fabric;
import io.verbena.verbs.fabric.FabricHost;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A session under TLS leaves it for RDMA where both ends allow that, and nowhere else. */
class PlaintextRdmaTest {
  private static final Duration LONGEST = Duration.ofSeconds(40);
  private static TestIdentity serversKey;

  private final Fabric fabric = Fabric.threaded(11);
  private final RdmaUpgradeProvider clients = provider("east", "10.9.0.1");
  private final RdmaUpgradeProvider servers = provider("west", "10.9.0.2");

  @BeforeAll
  static void makeTheKey() {
    serversKey = TestIdentity.create("CN=house", "ip:127.0.0.1");
  }

  @AfterEach
  void closeTheFabric() {
    fabric.close();
  }

  private RdmaUpgradeProvider provider(String host, String address) {
    try {
      FabricHost device = fabric.addHost(host, InetAddress.getByName(address));
      return new RdmaUpgradeProvider(device, RdmaSettings.DEFAULT, NanoClock.SYSTEM);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** Calls over a session under TLS, once its path is as expected and again when it has stayed. */
  private void assertPath(boolean clientAllows, boolean serverAllows, String expected)
      throws Exception {
    VerbenaServer.Builder serving =
        VerbenaServer.builder()
            .listen("127.0.0.1:0")
            .serve(HouseRpc.bind(new PlainHouse()))
            .tls(TlsOptions.server(serversKey.trusting()))
            .upgrades(servers);
    VerbenaClient.Builder calling =
        VerbenaClient.builder()
            .tls(TlsOptions.client(TestIdentity.nobodyTrusting(serversKey)))
            .upgrades(clients);
    if (serverAllows) {
      serving.allowPlaintextRdma();
    }
    if (clientAllows) {
      calling.allowPlaintextRdma();
    }
    try (VerbenaServer server = serving.start();
        VerbenaClient client = calling.build();
        Session session = client.connect(server.address().toString())) {
      await().atMost(LONGEST).untilAsserted(() -> assertThat(pathOf(session)).isEqualTo(expected));
      assertThat(HouseRpc.client(session).add(1)).isEqualTo(2);
      assertThat(pathOf(session)).isEqualTo(expected);
    }
  }

  /** Without the cipher suite, which stands before the reason. */
  private static String pathOf(Session session) {
    return session.path().toString().replaceFirst("\\(TLS_\\w+; ", "(");
  }

  private void assertNothingWentByRdma() {
    assertThat(clients.counters().linksOpened()).as("the client's RDMA links").isZero();
    assertThat(servers.counters().linksOpened()).as("the server's RDMA links").isZero();
  }

  @Test
  void whereNeitherEndAllowsItTheSessionStaysOnTls() throws Exception {
    assertPath(false, false, "tcp (encrypted by TLS; allowPlaintextRdma is not set on the client)");
    assertNothingWentByRdma();
  }

  @Test
  void whereOnlyTheClientAllowsItTheSessionStaysOnTls() throws Exception {
    assertPath(
        true,
        false,
        "tcp (on the server: encrypted by TLS; allowPlaintextRdma is not set on the server)");
    assertNothingWentByRdma();
  }

  @Test
  void whereOnlyTheServerAllowsItTheSessionStaysOnTls() throws Exception {
    assertPath(false, true, "tcp (encrypted by TLS; allowPlaintextRdma is not set on the client)");
    assertNothingWentByRdma();
  }

  @Test
  void whereBothEndsAllowItTheSessionLeavesTlsForRdma() throws Exception {
    assertPath(true, true, "rdma (fab1 at 10.9.0.1)");
    assertThat(clients.counters().linksOpened()).isEqualTo(1);
  }
}
