package io.verbena.tcp;

import io.verbena.link.LinkDriver;
import io.verbena.link.LinkProvider;
import io.verbena.link.runtime.Thrown;
import java.security.CodeSource;

/**
 * Provides {@code tcp://HOST:PORT} addresses. It uses native epoll if that loads without a warning
 * of the JVM, otherwise the JDK's selectors.
 */
public final class TcpLinkProvider implements LinkProvider {
  private static final String CURE =
      "Import io.netty:netty-bom:4.2.x before what brings the other, such as another library's bom,"
          + " and exclude none of the modules of Netty that rpc-tcp-fallback brings.";

  private final Transport transport;

  /**
   * Chooses the best transport of this machine.
   *
   * @throws IllegalStateException if Netty or a module of it is missing, or not of version 4.2,
   *     from 4.2.8 on
   */
  public TcpLinkProvider() {
    this(best());
  }

  TcpLinkProvider(Transport transport) {
    this.transport = transport;
  }

  private static Transport best() {
    try {
      Class<?> _ = TcpLoop.class; // implements what Netty has from 4.2 on
      return Transport.best();
    } catch (LinkageError e) {
      throw new IllegalStateException(
          "%s (%s); TCP links need Netty 4.2, 4.2.8 or later. %s"
              .formatted(netty(), Thrown.words(e), CURE),
          e);
    }
  }

  private static String netty() {
    try {
      Class<?> channel = Class.forName("io.netty.channel.Channel");
      CodeSource jar = channel.getProtectionDomain().getCodeSource();
      return "Netty on the class path is %s (%s)"
          .formatted(
              channel.getPackage().getImplementationVersion(),
              jar == null ? "of unknown origin" : jar.getLocation());
    } catch (ClassNotFoundException | LinkageError e) {
      return "no Netty is on the class path";
    }
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

  /** Returns the transport, and the reason that no faster one is used: {@code "nio (…)"}. */
  @Override
  public String toString() {
    return transport.toString();
  }
}
