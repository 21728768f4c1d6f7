package io.verbena.api;

/**
 * The other end of a session.
 *
 * @param identity who it proved to be when the session opened: the authenticator's answer, else the
 *     SPIFFE ID, subject, URI or DNS name of its TLS certificate, else {@link #ANONYMOUS}
 * @param address where it is, for logs: {@code "tcp://10.0.0.7:40112"}
 */
public record Peer(String identity, String address) {
  /** The identity of a peer that was asked for none. */
  public static final String ANONYMOUS = "anonymous";
}
