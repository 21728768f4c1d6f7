package io.verbena.core.session;

/** What differs between the end that connects and the end that accepts. On the loop. */
interface SessionRole {
  /** The session has calls to make and no link. */
  void linkWanted();

  /** The session has lost its link and may resume. */
  void linkLost(String reason);

  /** The peer broke the protocol or forgot the session: it cannot resume. */
  void peerLost(String reason);

  /** The session has ended for good. */
  void ended();
}
