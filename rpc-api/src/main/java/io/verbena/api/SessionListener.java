package io.verbena.api;

/**
 * Receives the events of sessions, at either end. A server uses them to forget a client that is
 * gone, a client to subscribe again when its server is back.
 *
 * <p>A session reports its events one after the other, in the order in which they happened. No
 * event is reported on an event loop, so a listener may block and make blocking calls. A listener
 * that blocks delays only later events of the same session. An exception that it throws is logged,
 * and the next event is reported as usual. The session may have changed since the event; {@link
 * Session#state()} returns its present state.
 *
 * <p>{@code opened} and {@code ended} alternate. Between them {@code lost} and {@code resumed}
 * alternate. If a session ends while it is lost, there is no {@code resumed}.
 *
 * <p>A listener is added to one session by {@link Session#listen}, or to all sessions of a client
 * or server by their builders' {@code sessionListener}.
 */
public interface SessionListener {
  /**
   * The session has opened with a new peer. The peer knows nothing of watches and subscriptions
   * that an earlier peer had: make them again here.
   */
  default void opened(Session session) {}

  /** Calls use another link from now on, or the same link for another reason. */
  default void pathChanged(Session session, SessionPath path) {}

  /** Every link is lost. The session will resume, or end after the resume window. */
  default void lost(Session session, String reason) {}

  /** The session continues over a new link with the same peer. Nothing has to be done again. */
  default void resumed(Session session) {}

  /** The peer shuts down. It finishes the calls that it has and accepts no more. */
  default void draining(Session session, String reason) {}

  /**
   * The peer is gone, with everything that it knew of this session. A session that a client made
   * may open again with another peer. If it will not, its state is {@link SessionState#ENDED}.
   *
   * @param status CANCELLED if the session was closed on this side, PROTOCOL_ERROR if the peer
   *     broke the protocol, else UNAVAILABLE
   */
  default void ended(Session session, RpcStatus status, String reason) {}
}
