package io.verbena.link;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How links are opened.
 *
 * @param maxFrameBytes the longest frame to send and to accept; a longer one closes its link
 * @param connectTimeout how long opening may take, with the TLS handshake
 * @param tls null for plaintext
 * @param authority for a client with TLS: the host's name that the server's certificate must have,
 *     and that it is asked for (SNI); empty for the host of the address
 * @param beside local addresses of the session's links that one more is to go beside, over adapters
 *     that none of them uses at either end; empty for a first link of its kind
 * @param protocol for a listener: what else is spoken at its address; null for nothing else
 */
public record LinkOptions(
    int maxFrameBytes,
    Duration connectTimeout,
    @Nullable TlsOptions tls,
    String authority,
    List<String> beside,
    @Nullable PortProtocol protocol) {
  /** Copies the addresses. */
  public LinkOptions {
    beside = List.copyOf(beside);
  }

  /** With the host of the address as authority. */
  public LinkOptions(int maxFrameBytes, Duration connectTimeout, @Nullable TlsOptions tls) {
    this(maxFrameBytes, connectTimeout, tls, "", List.of(), null);
  }

  /** Returns the same with another time limit. */
  public LinkOptions within(Duration connectTimeout) {
    return new LinkOptions(maxFrameBytes, connectTimeout, tls, authority, beside, protocol);
  }

  /** Returns the same with another authority. */
  public LinkOptions to(String authority) {
    return new LinkOptions(maxFrameBytes, connectTimeout, tls, authority, beside, protocol);
  }

  /** Returns the same for one more link beside those with these local addresses. */
  public LinkOptions beside(List<String> localAddresses) {
    return new LinkOptions(maxFrameBytes, connectTimeout, tls, authority, localAddresses, protocol);
  }

  /** Returns the same for a listener at whose address something else is spoken, too. */
  public LinkOptions speaking(PortProtocol protocol) {
    return new LinkOptions(maxFrameBytes, connectTimeout, tls, authority, beside, protocol);
  }
}
