package io.verbena.api;

import io.verbena.api.bulk.BulkObjects;
import io.verbena.api.region.Regions;
import io.verbena.api.stub.ServiceBinding;

/**
 * A connection to one peer that uses the best link available at each moment. Both ends may serve
 * and call.
 *
 * <p>A session survives the loss of its link. It resumes over a new link, and no call is executed
 * twice. When the peer itself is gone, calls in flight fail with {@link RpcStatus#UNAVAILABLE}. A
 * session that a client made opens again with its next call.
 *
 * <p>Safe for use by any thread.
 */
public interface Session extends Channel, AutoCloseable {
  /** Returns the state of the session. */
  SessionState state();

  /**
   * Returns the link that carries calls now and the reason for its choice. If no link does, it
   * returns the reason for that.
   */
  SessionPath path();

  /**
   * Adds a listener for the events of this session. Its first event reports the present state:
   * {@code opened} if there is a peer, {@code ended} if the session has ended for good. So the
   * listener misses nothing.
   */
  void listen(SessionListener listener);

  /**
   * Returns the other end. Its identity is {@link Peer#ANONYMOUS} before the session has opened.
   */
  Peer peer();

  /**
   * Serves a contract to the peer, as in {@code session.serve(EventsRpc.bind(listener))}. Once the
   * peer has received any call that this end makes afterwards, it can call the service.
   *
   * @throws IllegalArgumentException if a service of this name is served already
   */
  void serve(ServiceBinding binding);

  /** Returns the interface to publish, fetch and push large objects. */
  BulkObjects objects();

  /** Returns the interface to expose memory to the peer and to reach memory of the peer. */
  Regions regions();

  /**
   * Ends the session, and returns at once. Calls in flight fail with {@link RpcStatus#CANCELLED}
   * here and {@link RpcStatus#UNAVAILABLE} on the other end. For up to 2 s the session still
   * delivers one-way calls that were sent before. Calls that may be lost are counted and logged.
   * Closing again does nothing.
   */
  @Override
  void close();
}
