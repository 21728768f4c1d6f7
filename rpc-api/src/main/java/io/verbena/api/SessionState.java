package io.verbena.api;

/**
 * The state of a session. {@link Session#path()} gives the reason for it.
 *
 * <pre>
 *   IDLE ──→ OPEN ──→ DRAINING
 *    ↑        ↑ ↓        │
 *    │     RESUMING ←────┤      ENDED: from any
 *    └────────┴──────────┘
 * </pre>
 */
public enum SessionState {
  /**
   * There is no peer yet, or the last peer is gone with everything that it had received. A session
   * that a client made connects with its next call. A session at a server is never in this state;
   * it has {@link #ENDED} instead.
   */
  IDLE,
  /** A link carries calls both ways. */
  OPEN,
  /**
   * Every link is lost, and a new one is being made. Calls wait for it. None is lost and none is
   * executed twice. After the resume window the session is {@link #IDLE}, or {@link #ENDED} at a
   * server.
   */
  RESUMING,
  /**
   * The peer shuts down. It finishes the calls that it has and accepts no more. Calls made now wait
   * for the next peer until their deadline.
   */
  DRAINING,
  /** The session has ended for good. It was closed here, or its client is gone. */
  ENDED
}
