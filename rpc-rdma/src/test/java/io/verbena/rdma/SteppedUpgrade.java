package io.verbena.rdma;

import io.verbena.link.UpgradeDriver;

/** RDMA links of one host, whose fabric runs whatever is due before each poll. */
record SteppedUpgrade(RdmaUpgradeProvider provider, FabricWorld world)
    implements ForwardingProvider {
  @Override
  public UpgradeDriver newDriver(Runnable wakeLoop) {
    UpgradeDriver driver = provider.newDriver(wakeLoop);
    return new OtherwisePolled(driver, now -> world.settle() + driver.poll(now));
  }
}
