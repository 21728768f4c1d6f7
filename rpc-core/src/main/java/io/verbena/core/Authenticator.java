package io.verbena.core;

import org.jspecify.annotations.Nullable;

/**
 * Decides who a client is when it opens a session. Runs on the handlers' executor, so it may block;
 * it must be safe for use by any thread.
 */
@FunctionalInterface
public interface Authenticator {
  /**
   * Returns who the client is, for {@link io.verbena.api.Peer#identity}.
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
