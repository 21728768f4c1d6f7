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
import io.verbena.verbs.fabric.Personality;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Regions over RDMA, by verbs in memory: on devices with windows, without, and without READs as on
 * iWARP; with {@code -Dverbena.long} on every adapter whose first links stay.
 */
@ParameterizedClass(name = "{0}")
@MethodSource("adapters")
class RdmaRegionsContractTest extends RegionsContract {
  private static final Set<Personality> FIND_OUT =
      Set.of(Personality.MANA_WINDOWS, Personality.INLINE_LIAR, Personality.STRICT_KEYS);

  @Parameter Personality adapter;

  private final Fabric fabric = Fabric.threaded(5);
  private int hosts;

  @SuppressWarnings("NullAway.Init") // by JUnit
  RdmaRegionsContractTest() {}

  static Stream<Personality> adapters() {
    return Boolean.getBoolean("verbena.long")
        ? Arrays.stream(Personality.values())
            .filter(one -> one.connects() && !FIND_OUT.contains(one))
        : Stream.of(Personality.MLX5, Personality.MANA, Personality.SIW);
  }

  @AfterEach
  void closeTheFabric() {
    fabric.close();
  }

  private RdmaUpgradeProvider provider() {
    hosts++;
    try {
      FabricHost host =
          fabric.addHost(
              "host" + hosts, adapter.profile(), InetAddress.getByName("10.9.0." + hosts));
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
