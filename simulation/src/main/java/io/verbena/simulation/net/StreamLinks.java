package io.verbena.simulation.net;

import io.verbena.link.LinkDriver;
import io.verbena.link.LinkProvider;
import io.verbena.simulation.time.Scheduler;

/**
 * Streams of one host.
 *
 * @param host whose
 */
public record StreamLinks(VirtualNetwork network, NetHost host, Scheduler scheduler)
    implements LinkProvider {
  @Override
  public String scheme() {
    return VirtualNetwork.SCHEME;
  }

  @Override
  public boolean linksMove() {
    return true;
  }

  @Override
  public LinkDriver newDriver(Runnable wakeLoop) {
    return new StreamDriver(network, host, scheduler);
  }
}
