package io.verbena.api;

import io.verbena.api.bulk.BulkObjects;
import io.verbena.api.region.Regions;
import io.verbena.api.stub.ServiceBinding;

/**
 * A conversation with one peer, over whatever link is best now. Either end may serve and call.
 *
 * <p>A session outlives the loss of its connection: it resumes over a new one, and nothing is
 * executed twice. When the peer itself is gone, calls in flight fail with {@link
 * RpcStatus#UNAVAILABLE}; a session made by a client opens anew with the next call.
 *
 * <p>Safe for use by any thread.
 */
public interface Session extends Channel, AutoCloseable {
  /** Returns how the session stands. */
  SessionState state();

  /** Returns which link carries calls now, and why; while none does, why not. */
  SessionPath path();

  /**
   * Has a listener told what becomes of this session from now on. It hears at once, and first, how
   * the session stands: {@code opened} if there is a peer, {@code ended} if it has ended for good.
   * So nothing is missed between the two.
   */
  void listen(SessionListener listener);

  /** Returns the other end. {@link Peer#ANONYMOUS} before the session has opened. */
  Peer peer();

  /**
   * Serves a contract to the peer, as {@code session.serve(EventsRpc.bind(listener))}. Calls that
   * the peer makes after it has seen any later call of ours find it.
   *
   * @throws IllegalArgumentException if a service of this name is served already
   */
  void serve(ServiceBinding binding);

  /** Returns what large objects are published, fetched and pushed with. */
  BulkObjects objects();

  /** Returns what memory is exposed to the peer with, and the peer's is reached. */
  Regions regions();

  /**
   * Ends the session, and returns at once. Calls in flight fail with {@link RpcStatus#CANCELLED}
   * here and {@link RpcStatus#UNAVAILABLE} on the other end. One-way calls that were sent before
   * arrive first, for up to 2 s: what may not have is counted and logged. Closing again does
   * nothing.
   */
  @Override
  void close();
}
