package io.verbena.core;

import org.jspecify.annotations.Nullable;

/**
 * Decides who a client is when it opens or resumes a session. Runs on a thread of its own, so it
 * may block, for four fifths of the server's {@code connectTimeout}: then it is interrupted and the
 * client refused. It must be safe for use by any thread.
 */
@FunctionalInterface
public interface ClientAuthenticator {
  /**
   * Returns who the client is, for {@link io.verbena.api.Peer#identity}. Null refuses it with
   * UNAUTHENTICATED, and so does an {@link AuthenticationException}, whose message it hears.
   * Whatever else is thrown refuses it with UNAVAILABLE, and is in the server's log.
   *
   * @throws AuthenticationException to refuse it
   */
  String authenticate(Credentials credentials) throws AuthenticationException;

  /**
   * What a client shows.
   *
   * @param token what its {@code token} setting gave; empty for none
   * @param principal the subject of its TLS certificate; null where none was asked for
   * @param address where it connects from
   */
  record Credentials(String token, @Nullable String principal, String address) {}

  /** The client is refused; the message reaches it. */
  final class AuthenticationException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Says why, in words for the client. */
    public AuthenticationException(String message) {
      super(message);
    }
  }
}
