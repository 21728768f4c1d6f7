package io.verbena.core;

import io.verbena.link.PortProtocol;

/**
 * Lets clients of another protocol call a server's services at the same port. See {@link
 * VerbenaServer.Builder#gateway}. One gateway serves one server.
 */
public interface Gateway {
  /**
   * Starts the gateway, before the server listens.
   *
   * @param sessions for its clients; safe for use by any thread
   * @return the protocol for the port, of the type of the server's link
   * @throws IllegalStateException if it was started before
   */
  PortProtocol start(LocalSessions sessions);

  /**
   * Reports that the server drains: running calls end, and sessions accept no more. It must not
   * block.
   */
  void drain();

  /**
   * Ends all connections. Pending answers may take a few seconds. It is called once, after {@link
   * #drain}, or if the server did not start.
   */
  void close();
}
