package io.verbena.tcp;

import io.verbena.link.LinkDriver;
import io.verbena.link.LinkProvider;

/** TCP on the JDK's selectors, as in a JVM without options, for tests that name it. */
public final class NioLinkProvider implements LinkProvider {
  private final TcpLinkProvider links = new TcpLinkProvider(Transport.nio("for the test"));

  @Override
  public String scheme() {
    return links.scheme();
  }

  @Override
  public int priority() {
    return -1;
  }

  @Override
  public boolean linksMove() {
    return links.linksMove();
  }

  @Override
  public LinkDriver newDriver(Runnable wakeLoop) {
    return links.newDriver(wakeLoop);
  }
}
