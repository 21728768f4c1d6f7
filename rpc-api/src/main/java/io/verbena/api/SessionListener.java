package io.verbena.api;

/**
 * Is told what becomes of sessions, at either end: servers forget a watcher that is gone, clients
 * watch again when a server is there again.
 *
 * <p>Each session tells its listeners one event after the other, in the order in which they
 * happened, never on an event loop: a listener may block and make blocking calls. One that blocks
 * holds up what the same session has to tell later, and nothing else. What it throws is logged, and
 * the next event is told all the same. The state may have moved on meanwhile: {@link
 * Session#state()} says how it is now.
 *
 * <p>{@code opened} and {@code ended} come by turns. Between them {@code lost} and {@code resumed}
 * do, and where a session ends while it is lost, {@code resumed} is left out.
 *
 * <p>A listener is for a session ({@link Session#listen}) or for all of a client or server (their
 * builders' {@code sessionListener}).
 */
public interface SessionListener {
  /**
   * The session has opened with a peer, which knows nothing of the one before: what was asked of
   * that one (watches, subscriptions) is asked anew here.
   */
  default void opened(Session session) {}

  /** Calls take another link from now on, or the same for another reason. */
  default void pathChanged(Session session, SessionPath path) {}

  /** Every link is lost; the session resumes, or ends after the resume window. */
  default void lost(Session session, String reason) {}

  /** The session goes on over a new link with the same peer: nothing is to be done again. */
  default void resumed(Session session) {}

  /** The peer shuts down: it finishes the calls that it has, and takes no more. */
  default void draining(Session session, String reason) {}

  /**
   * The peer is gone, with all that it knew of this session. A session made by a client may open
   * anew with another; its state is {@link SessionState#ENDED} if it will not.
   *
   * @param status CANCELLED if the session was closed on this side, PROTOCOL_ERROR if the peer
   *     broke the protocol, else UNAVAILABLE
   */
  default void ended(Session session, RpcStatus status, String reason) {}
}
