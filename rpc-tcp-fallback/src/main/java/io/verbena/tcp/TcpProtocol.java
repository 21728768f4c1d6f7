package io.verbena.tcp;

import io.netty.channel.socket.SocketChannel;
import io.verbena.link.PortProtocol;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * Another protocol at a TCP port, such as HTTP. The first byte of a connection distinguishes it
 * from a link. The event loop that accepts calls it, so its methods must not block.
 */
public interface TcpProtocol extends PortProtocol {
  /**
   * Returns whether a connection with this first byte is one of this protocol; a link begins with
   * 0.
   */
  boolean beginsWith(byte first);

  /**
   * Returns the names by which clients ask for this protocol in their TLS handshake (ALPN, RFC
   * 7301), such as {@code h2}. Clients that ask for others, or for none, are served, too.
   */
  default List<String> applicationProtocols() {
    return List.of();
  }

  /**
   * Takes a connection, after its TLS handshake if there is one. It adds handlers to the pipeline,
   * which then read the connection from its first byte. They run on the connection's event loop.
   *
   * @param peer the client's address: {@code "tcp://10.0.0.7:40112"}
   * @param certificates the client's, its own first; empty if it showed none
   * @param loop runs tasks of other threads on the channel's loop, and wakes it
   */
  void accept(
      SocketChannel channel, String peer, List<X509Certificate> certificates, Executor loop);
}
