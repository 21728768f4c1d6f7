package io.verbena.core;

import io.verbena.link.CertificateNames;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides who a client is when it opens or resumes a session. Runs on a thread of its own, so it
 * may block, for four fifths of the server's {@code connectTimeout}: then it is interrupted and the
 * client refused. It must be safe for use by any thread.
 */
@FunctionalInterface
public interface ClientAuthenticator {
  /**
   * Returns who the client is, for {@link io.verbena.api.Peer#identity}. Null or a blank text
   * refuses it with UNAUTHENTICATED, and so does an {@link AuthenticationException}, whose message
   * it hears. Whatever else is thrown refuses it with UNAVAILABLE, and is in the server's log.
   *
   * @throws AuthenticationException to refuse it
   */
  String authenticate(Credentials credentials) throws AuthenticationException;

  /**
   * What a client shows.
   *
   * @param token what its {@code token} setting gave; empty for none
   * @param certificates those of its TLS handshake, as it has sent them: its own first, which this
   *     end trusts and it has the key of. Empty where none was asked for
   * @param address where it connects from
   */
  record Credentials(String token, List<X509Certificate> certificates, String address) {
    /** Keeps a copy. */
    public Credentials {
      certificates = List.copyOf(certificates);
    }

    /** Returns whom its certificate names: its subject, URIs, DNS names and e-mail addresses. */
    public CertificateNames names() {
      return CertificateNames.of(certificates);
    }

    /**
     * Returns who its certificate says it is, in one name: see {@link CertificateNames#principal}.
     * Null where it showed none, or one without such a name.
     */
    public @Nullable String principal() {
      return names().principal();
    }
  }

  /** The client is refused; the message reaches it. */
  final class AuthenticationException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Says why, in words for the client. */
    public AuthenticationException(String message) {
      super(message);
    }
  }
}
