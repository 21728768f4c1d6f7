package io.verbena.rdma;

import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.link.UpgradeDriver;
import java.net.URI;

/** A driver that has another do everything which a test does not want done otherwise. */
interface ForwardingDriver extends UpgradeDriver {
  /** Returns the other one. */
  UpgradeDriver driver();

  @Override
  default int poll(long nowNanos) {
    return driver().poll(nowNanos);
  }

  @Override
  default boolean isInUse() {
    return driver().isInUse();
  }

  @Override
  default boolean armWakeup(long nowNanos) {
    return driver().armWakeup(nowNanos);
  }

  @Override
  default byte[] request(URI peer, LinkOptions options) throws LinkException {
    return driver().request(peer, options);
  }

  @Override
  default byte[] offer(
      byte[] request, URI localAddress, LinkOptions options, LinkDriver.ConnectHandler handler)
      throws LinkException {
    return driver().offer(request, localAddress, options, handler);
  }

  @Override
  default void connect(byte[] offer, LinkOptions options, LinkDriver.ConnectHandler handler) {
    driver().connect(offer, options, handler);
  }

  @Override
  default void close(Runnable meanwhile) {
    driver().close(meanwhile);
  }
}
