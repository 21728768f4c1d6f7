package io.verbena.api;

/**
 * How a session stands. Why it stands so, {@link Session#path()} says.
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
   * There is no peer: none yet, or the last one is gone with all that it had taken. A session made
   * by a client connects with its next call. One that a server took is never so: it has ended.
   */
  IDLE,
  /** A link carries calls both ways. */
  OPEN,
  /**
   * Every link is lost, and another is being made. Calls wait for it; none is lost, none executed
   * twice. After the resume window the session is {@link #IDLE}, or {@link #ENDED} at a server.
   */
  RESUMING,
  /**
   * The peer shuts down: it finishes the calls that it has, and takes no more. Calls made now wait,
   * until their deadline, for the next peer.
   */
  DRAINING,
  /** The session has ended for good: it was closed here, or its client is gone. */
  ENDED
}
