package io.verbena.rdma;

import io.verbena.core.link.LinkDriver;
import io.verbena.core.link.LinkException;
import io.verbena.core.link.LinkOptions;
import io.verbena.core.link.UpgradeDriver;
import io.verbena.core.link.UpgradeProvider;
import java.net.URI;

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
    return new UpgradeDriver() {
      @Override
      public int poll(long nowNanos) {
        return world.settle() + driver.poll(nowNanos);
      }

      @Override
      public boolean isInUse() {
        return driver.isInUse();
      }

      @Override
      public boolean armWakeup() {
        return driver.armWakeup();
      }

      @Override
      public byte[] request(URI peer, LinkOptions options) {
        return driver.request(peer, options);
      }

      @Override
      public byte[] offer(
          byte[] request, URI local, LinkOptions options, LinkDriver.ConnectHandler handler)
          throws LinkException {
        return driver.offer(request, local, options, handler);
      }

      @Override
      public void connect(byte[] offer, LinkOptions options, LinkDriver.ConnectHandler handler) {
        driver.connect(offer, options, handler);
      }

      @Override
      public void close() {
        driver.close();
      }
    };
  }
}
