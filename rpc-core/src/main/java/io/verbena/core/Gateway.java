package io.verbena.core;

import io.verbena.link.PortProtocol;

/**
 * What has a server's services called by another protocol at the same port: see {@link
 * VerbenaServer.Builder#gateway}. One gateway serves one server.
 */
public interface Gateway {
  /**
   * Begins, before the server listens.
   *
   * @param sessions for its clients; safe for use by any thread
   * @return what the port is to know, of the kind of the server's link
   * @throws IllegalStateException if it has begun already
   */
  PortProtocol start(LocalSessions sessions);

  /** The server drains: what runs ends, and sessions take no more calls. Must not block. */
  void drain();

  /**
   * Ends all connections. Answers that are on their way may take a few seconds for it. Called once,
   * after {@link #drain}, or where the server did not start.
   */
  void close();
}
