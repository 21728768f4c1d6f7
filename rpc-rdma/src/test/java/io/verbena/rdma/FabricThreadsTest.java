package io.verbena.rdma;

import io.verbena.core.NanoClock;
import io.verbena.core.link.LinkProvider;
import io.verbena.testkit.LinkHarness;
import io.verbena.testkit.LinkThreadsContract;
import io.verbena.verbs.fabric.Fabric;
import io.verbena.verbs.fabric.FabricHost;
import java.net.URI;

/** Two loops that wait when idle, over a fabric that runs in real time. */
final class FabricThreadsTest extends LinkThreadsContract {
  /** Real time passes in milliseconds there, so this is a seed whose posts complete at once. */
  private static final long COMPLETES_AT_ONCE = 2;

  @Override
  protected LinkHarness newHarness() {
    return new ThreadedHarness(COMPLETES_AT_ONCE);
  }

  private static final class ThreadedHarness implements LinkHarness {
    private final Fabric fabric;
    private final LinkProvider provider;

    ThreadedHarness(long seed) {
      fabric = Fabric.threaded(seed);
      FabricHost host = fabric.addHost("one", FabricWorld.address("10.9.0.1"));
      RdmaUpgradeProvider links =
          new RdmaUpgradeProvider(host, RdmaSettings.DEFAULT, NanoClock.SYSTEM);
      provider = new UpgradeLinkProvider(() -> links, () -> {});
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
