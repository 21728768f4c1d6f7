package io.verbena.core;

import io.verbena.link.CertificateNames;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Identifies a client that opens or resumes a session. It runs on a separate thread, so it may
 * block. After four fifths of the server's {@code connectTimeout} it is interrupted and the client
 * refused. It must be safe for use by any thread.
 */
@FunctionalInterface
public interface ClientAuthenticator {
  /**
   * Returns the identity of the client, for {@link io.verbena.api.Peer#identity}. Null or a blank
   * text refuses the client with UNAUTHENTICATED. So does an {@link AuthenticationException}, whose
   * message the client receives. Any other exception refuses the client with UNAVAILABLE, and the
   * server logs it.
   *
   * @throws AuthenticationException to refuse the client
   */
  String authenticate(Credentials credentials) throws AuthenticationException;

  /**
   * The credentials of a client. Immutable.
   *
   * @param token the result of the client's {@code token} setting; empty if it has none
   * @param certificates the certificates of its TLS handshake in the order of sending. The client's
   *     own certificate is the first: this end trusts it, and the client has its key. Empty if none
   *     was requested
   * @param address the client's address
   */
  record Credentials(String token, List<X509Certificate> certificates, String address) {
    /** Copies the list. */
    public Credentials {
      certificates = List.copyOf(certificates);
    }

    /**
     * Returns the names in the client's certificate: subject, URIs, DNS names and e-mail addresses.
     */
    public CertificateNames names() {
      return CertificateNames.of(certificates);
    }

    /**
     * Returns the one name that identifies the owner of the certificate, as {@link
     * CertificateNames#principal} does. Null if there is no certificate, or if it has no such name.
     */
    public @Nullable String principal() {
      return names().principal();
    }
  }

  /** Refuses a client, which receives the message. */
  final class AuthenticationException extends Exception {
    private static final long serialVersionUID = 1L;

    /**
     * Makes a refusal.
     *
     * @param message the reason, for the client to read
     */
    public AuthenticationException(String message) {
      super(message);
    }
  }
}
