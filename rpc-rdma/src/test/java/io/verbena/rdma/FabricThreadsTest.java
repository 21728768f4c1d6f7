package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Session;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.core.bulk.stat.Costs;
import io.verbena.core.bulk.stat.CutOffs;
import io.verbena.link.LinkProvider;
import io.verbena.link.PinningCost;
import io.verbena.link.runtime.NanoClock;
import io.verbena.testkit.LinkHarness;
import io.verbena.testkit.LinkThreadsContract;
import io.verbena.testkit.UpgradeLinkProvider;
import io.verbena.verbs.fabric.Fabric;
import io.verbena.verbs.fabric.FabricHost;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** Two loops that wait when idle, over a fabric that runs in real time. */
final class FabricThreadsTest extends LinkThreadsContract {
  /** Real time passes in milliseconds there, so this is a seed whose posts complete at once. */
  private static final long COMPLETES_AT_ONCE = 2;

  @Override
  protected LinkHarness newHarness() {
    return new ThreadedHarness(COMPLETES_AT_ONCE);
  }

  @Test
  void loopsThatAlwaysPollArmNoChannelAndNeedNobodyToWakeThem() {
    try (Fabric fabric = Fabric.threaded(COMPLETES_AT_ONCE)) {
      FabricHost host = fabric.addHost("one", FabricWorld.address("10.9.0.1"));
      RdmaUpgradeProvider links =
          new RdmaUpgradeProvider(host, RdmaSettings.DEFAULT, NanoClock.SYSTEM);
      try (VerbenaServer server =
              VerbenaServer.builder()
                  .listen("mem://polled")
                  .pollAlways()
                  .upgrades(links)
                  .serve(Echo.bind(text -> {}))
                  .start();
          VerbenaClient client = VerbenaClient.builder().pollAlways().upgrades(links).build();
          Session session = client.connect(server.address().toString())) {
        while (!session.path().link().equals("rdma")) {
          assertThat(Echo.call(session, "first").join()).isEqualTo("first");
        }
        for (int i = 0; i < 10; i++) {
          assertThat(Echo.call(session, "polled").join()).isEqualTo("polled");
        }
        assertThat(Thread.getAllStackTraces().keySet())
            .as("the thread that waits on armed channels")
            .noneMatch(thread -> thread.getName().equals("verbena-rdma-waiter"));
      }
    }
  }

  @Test
  void whatPinningCostsIsMeasuredBesideTheLoop() {
    Set<String> threads = ConcurrentHashMap.newKeySet();
    NanoClock clock =
        () -> {
          threads.add(Thread.currentThread().getName());
          return System.nanoTime();
        };
    try (Fabric fabric = Fabric.threaded(COMPLETES_AT_ONCE)) {
      FabricHost host = fabric.addHost("one", FabricWorld.address("10.9.0.1"));
      RdmaUpgradeProvider links = new RdmaUpgradeProvider(host, RdmaSettings.DEFAULT, clock);
      try (VerbenaServer server =
              VerbenaServer.builder()
                  .listen("mem://pinned")
                  .upgrades(links)
                  .serve(Echo.bind(text -> {}))
                  .start();
          VerbenaClient client = VerbenaClient.builder().upgrades(links).build();
          Session session = client.connect(server.address().toString())) {
        while (!session.path().link().equals("rdma")) {
          assertThat(Echo.call(session, "first").join()).isEqualTo("first");
        }
        while (client.costs(session).pinning().equals(PinningCost.NONE)) {
          assertThat(Echo.call(session, "again").join()).isEqualTo("again");
        }
        Costs costs = client.costs(session);
        assertThat(costs.roundTrip()).isPositive();
        assertThat(client.cutOffs(session)).isEqualTo(CutOffs.of(costs));
      }
    }
    assertThat(threads).contains("verbena-pinning-cost");
  }

  private static final class ThreadedHarness implements LinkHarness {
    private final Fabric fabric;
    private final LinkProvider provider;

    ThreadedHarness(long seed) {
      fabric = Fabric.threaded(seed);
      FabricHost host = fabric.addHost("one", FabricWorld.address("10.9.0.1"));
      RdmaUpgradeProvider links =
          new RdmaUpgradeProvider(host, RdmaSettings.DEFAULT, NanoClock.SYSTEM);
      provider =
          new UpgradeLinkProvider(new RdmaOffers(), links::newDriver, () -> {}, NanoClock.SYSTEM);
    }

    @Override
    public LinkProvider provider() {
      return provider;
    }

    @Override
    public URI freeAddress() {
      return URI.create("rdma://device:0");
    }

    @Override
    public URI nobodyListens() {
      return URI.create("rdma://10.9.0.1:1");
    }

    @Override
    public URI nobodyAnswers() {
      return URI.create("rdma://10.9.0.99:1");
    }

    @Override
    public void close() {
      fabric.close();
    }
  }
}
