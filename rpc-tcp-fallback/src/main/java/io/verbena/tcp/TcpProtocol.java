package io.verbena.tcp;

import io.netty.channel.socket.SocketChannel;
import io.verbena.link.PortProtocol;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * What else is spoken at a TCP port beside links, such as HTTP: a connection's first byte tells. It
 * is called by the event loop that accepts, which it must not hold up.
 */
public interface TcpProtocol extends PortProtocol {
  /** Returns whether a connection that begins so is one; a link's begins with 0. */
  boolean beginsWith(byte first);

  /**
   * Takes a connection whose TLS handshake is done, where there is one: adds handlers to its
   * pipeline, which then read it from its first byte on. They run on its event loop.
   *
   * @param peer where the client is: {@code "tcp://10.0.0.7:40112"}
   * @param certificates those of the client, its own first; empty where it showed none
   * @param loop runs for other threads what they have to do with the channel: it wakes the loop
   */
  void accept(
      SocketChannel channel, String peer, List<X509Certificate> certificates, Executor loop);
}
