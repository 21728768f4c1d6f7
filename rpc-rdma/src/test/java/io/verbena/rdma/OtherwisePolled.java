package io.verbena.rdma;

import io.verbena.core.link.LinkDriver;
import io.verbena.core.link.LinkException;
import io.verbena.core.link.LinkOptions;
import io.verbena.core.link.UpgradeDriver;
import java.net.URI;
import java.util.function.LongToIntFunction;

/**
 * A driver of which a test decides how it is polled.
 *
 * @param poll from the time that the loop gives, does what {@link UpgradeDriver#poll} does
 */
record OtherwisePolled(UpgradeDriver driver, LongToIntFunction poll) implements UpgradeDriver {
  @Override
  public int poll(long nowNanos) {
    return poll.applyAsInt(nowNanos);
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
      byte[] request, URI localAddress, LinkOptions options, LinkDriver.ConnectHandler handler)
      throws LinkException {
    return driver.offer(request, localAddress, options, handler);
  }

  @Override
  public void connect(byte[] offer, LinkOptions options, LinkDriver.ConnectHandler handler) {
    driver.connect(offer, options, handler);
  }

  @Override
  public void close() {
    driver.close();
  }
}
