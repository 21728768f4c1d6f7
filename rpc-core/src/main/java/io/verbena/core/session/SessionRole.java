package io.verbena.core.session;

import org.jspecify.annotations.Nullable;

/** The differences between the end that connects and the end that accepts. On the loop. */
public interface SessionRole {
  /** Returns whether this end connects and requests upgrades. */
  boolean isClient();

  /** Returns the epoch of the session's next link. Only the client assigns them. */
  int nextEpoch();

  /** Both directions of the session use the better link. */
  default void upgraded() {}

  /** The session requires a better link, and none is available now. */
  default void upgradeFailed(String reason) {}

  /** The session has calls to make and no link. */
  void linkWanted();

  /** The session has lost its first link, or every link, and may resume. */
  void linkLost(String reason);

  /** The peer broke the protocol or forgot the session, which cannot resume. */
  void peerLost(String reason);

  /** The peer closed the session in order. */
  void peerLeft(String reason);

  /**
   * Returns the reason why the session has no link, or had none until now; null if none is known.
   */
  default @Nullable String obstacle() {
    return null;
  }

  /** Returns whether calls that the peer no longer accepts wait for the next peer. */
  default boolean callsWait() {
    return true;
  }

  /** The session has ended for good. */
  void ended();
}
