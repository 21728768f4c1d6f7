package io.verbena.tcp;

import io.verbena.core.link.LinkDriver;
import io.verbena.core.link.LinkProvider;

/**
 * Offers {@code tcp://HOST:PORT} addresses, on native epoll where that loads without a warning by
 * the JVM, else on the JDK's selectors.
 */
public final class TcpLinkProvider implements LinkProvider {
  private final Transport transport;

  /** On the best transport there is here. */
  public TcpLinkProvider() {
    this(Transport.best());
  }

  TcpLinkProvider(Transport transport) {
    this.transport = transport;
  }

  @Override
  public String scheme() {
    return TcpAddress.SCHEME;
  }

  @Override
  public boolean linksMove() {
    return true;
  }

  @Override
  public LinkDriver newDriver(Runnable wakeLoop) {
    return new TcpDriver(transport, wakeLoop);
  }

  /** Returns what carries the links, and why not something faster: {@code "nio (…)"}. */
  @Override
  public String toString() {
    return transport.toString();
  }
}
