package io.verbena.mem;

import io.verbena.link.LinkDriver;
import io.verbena.link.LinkProvider;

/**
 * Provides {@code mem://NAME} addresses of this process. The drivers of all instances share one
 * network. Tests that need a network of their own pass {@link InMemoryNetwork} around instead.
 */
public final class InMemoryLinkProvider implements LinkProvider {
  private static final InMemoryNetwork PROCESS_WIDE = new InMemoryNetwork();

  @Override
  public String scheme() {
    return InMemoryNetwork.SCHEME;
  }

  @Override
  public LinkDriver newDriver(Runnable wakeLoop) {
    return PROCESS_WIDE.newDriver(wakeLoop);
  }
}
