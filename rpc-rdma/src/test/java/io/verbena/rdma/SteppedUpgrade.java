package io.verbena.rdma;

import io.verbena.link.UpgradeDriver;
import io.verbena.link.UpgradeProvider;

/** RDMA links of one host, whose fabric runs whatever is due before each poll. */
record SteppedUpgrade(RdmaUpgradeProvider host, FabricWorld world) implements UpgradeProvider {
  @Override
  public String kind() {
    return host.kind();
  }

  @Override
  public Availability availability() {
    return host.availability();
  }

  @Override
  public UpgradeDriver newDriver(Runnable wakeLoop) {
    UpgradeDriver driver = host.newDriver(wakeLoop);
    return new OtherwisePolled(driver, now -> world.settle() + driver.poll(now));
  }
}
