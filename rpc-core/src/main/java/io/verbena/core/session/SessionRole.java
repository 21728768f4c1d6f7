package io.verbena.core.session;

import org.jspecify.annotations.Nullable;

/** What differs between the end that connects and the end that accepts. On the loop. */
public interface SessionRole {
  /** Returns whether this end connects, and asks for upgrades. */
  boolean isClient();

  /** Returns a number for the session's next link; only the client gives them. */
  int nextEpoch();

  /** Both directions of the session ride the better link. */
  void upgraded();

  /** The session must not go without a better link, and cannot have one now. */
  void upgradeFailed(String reason);

  /** The session has calls to make and no link. */
  void linkWanted();

  /** The session has lost its first link, or every one, and may resume. */
  void linkLost(String reason);

  /** The peer broke the protocol or forgot the session: it cannot resume. */
  void peerLost(String reason);

  /** The peer closed the session in order. */
  void peerLeft(String reason);

  /** Returns what stands between the session and a link, in words; null if nothing is known. */
  default @Nullable String obstacle() {
    return null;
  }

  /** Returns whether calls that the peer does not take any more wait for the next one. */
  default boolean callsWait() {
    return true;
  }

  /** The session has ended for good. */
  void ended();
}
