package io.verbena.bench.soak;

import io.verbena.core.NanoClock;
import io.verbena.core.link.UpgradeProvider;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.RdmaUpgradeProvider;
import io.verbena.verbs.fabric.Fabric;
import java.net.InetAddress;

/** The server in this process, over RDMA on devices in memory. */
final class FabricSoak implements SoakWorld {
  private final Fabric fabric;
  private final UpgradeProvider east;
  private final SoakServer server;

  FabricSoak(long seed, Executions executions) {
    fabric = Fabric.threaded(seed);
    east = host("east", "10.9.0.1");
    server = SoakServer.start("127.0.0.1:0", executions, host("west", "10.9.0.2"));
  }

  private UpgradeProvider host(String name, String address) {
    return new RdmaUpgradeProvider(
        fabric.addHost(name, InetAddress.ofLiteral(address)),
        RdmaSettings.DEFAULT,
        NanoClock.SYSTEM);
  }

  @Override
  public String address() {
    return server.address();
  }

  @Override
  public UpgradeProvider upgrades() {
    return east;
  }

  @Override
  public boolean hasProcess() {
    return false;
  }

  @Override
  public void restart(long pauseMillis) {
    throw new UnsupportedOperationException("the server has no process of its own");
  }

  @Override
  public void pause(long millis) {
    throw new UnsupportedOperationException("the server has no process of its own");
  }

  @Override
  public void close() {
    server.close();
    fabric.close();
  }
}
