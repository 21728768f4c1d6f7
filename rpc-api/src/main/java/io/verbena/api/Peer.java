package io.verbena.api;

/**
 * The other end of a session.
 *
 * @param identity the identity that the peer proved when the session opened: the authenticator's
 *     answer, else the SPIFFE ID, subject, URI or DNS name of its TLS certificate, else {@link
 *     #ANONYMOUS}
 * @param address its address for logs, such as {@code "tcp://10.0.0.7:40112"}
 */
public record Peer(String identity, String address) {
  /** The identity of a peer that did not have to prove one. */
  public static final String ANONYMOUS = "anonymous";
}
